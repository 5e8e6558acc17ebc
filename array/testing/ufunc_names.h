#pragma once

#include <map>
#include <string>

#include "catena/array/ufunc/ufunc.h"

namespace catena::testing {

// The ufuncs of one operand by NumPy's names, and two that NumPy lacks.
inline const std::map<std::string, array::UnaryUfunc>& unary_ufuncs() {
  static const std::map<std::string, array::UnaryUfunc> ufuncs = {
      {"abs", array::abs},
      {"absolute", array::absolute},
      {"arccos", array::arccos},
      {"arccosh", array::arccosh},
      {"arcsin", array::arcsin},
      {"arcsinh", array::arcsinh},
      {"arctan", array::arctan},
      {"arctanh", array::arctanh},
      {"cbrt", array::cbrt},
      {"ceil", array::ceil},
      {"cos", array::cos},
      {"cosh", array::cosh},
      {"deg2rad", array::deg2rad},
      {"degrees", array::degrees},
      {"exp", array::exp},
      {"exp2", array::exp2},
      {"expm1", array::expm1},
      {"fix", array::fix},
      {"floor", array::floor},
      {"invert", array::invert},
      {"isfinite", array::isfinite},
      {"isinf", array::isinf},
      {"isnan", array::isnan},
      {"log", array::log},
      {"log10", array::log10},
      {"log1p", array::log1p},
      {"log2", array::log2},
      {"logical_not", array::logical_not},
      {"negative", array::negative},
      {"positive", array::positive},
      {"rad2deg", array::rad2deg},
      {"radians", array::radians},
      {"reciprocal", array::reciprocal},
      {"relu", array::relu},
      {"rint", array::rint},
      {"sigmoid", array::sigmoid},
      {"sign", array::sign},
      {"signbit", array::signbit},
      {"sin", array::sin},
      {"sinh", array::sinh},
      {"sqrt", array::sqrt},
      {"square", array::square},
      {"tan", array::tan},
      {"tanh", array::tanh},
      {"trunc", array::trunc},
  };
  return ufuncs;
}

// Those of two operands.
inline const std::map<std::string, array::BinaryUfunc>& binary_ufuncs() {
  static const std::map<std::string, array::BinaryUfunc> ufuncs = {
      {"add", array::add},
      {"arctan2", array::arctan2},
      {"bitwise_and", array::bitwise_and},
      {"bitwise_or", array::bitwise_or},
      {"bitwise_xor", array::bitwise_xor},
      {"copysign", array::copysign},
      {"divide", array::divide},
      {"equal", array::equal},
      {"floor_divide", array::floor_divide},
      {"fmax", array::fmax},
      {"fmin", array::fmin},
      {"fmod", array::fmod},
      {"greater", array::greater},
      {"greater_equal", array::greater_equal},
      {"hypot", array::hypot},
      {"ldexp", array::ldexp},
      {"left_shift", array::left_shift},
      {"less", array::less},
      {"less_equal", array::less_equal},
      {"logaddexp", array::logaddexp},
      {"logaddexp2", array::logaddexp2},
      {"logical_and", array::logical_and},
      {"logical_or", array::logical_or},
      {"logical_xor", array::logical_xor},
      {"maximum", array::maximum},
      {"minimum", array::minimum},
      {"mod", array::mod},
      {"multiply", array::multiply},
      {"nextafter", array::nextafter},
      {"not_equal", array::not_equal},
      {"power", array::power},
      {"remainder", array::remainder},
      {"right_shift", array::right_shift},
      {"subtract", array::subtract},
      {"true_divide", array::true_divide},
  };
  return ufuncs;
}

// Those of three operands, one of which NumPy lacks.
inline const std::map<std::string, array::TernaryUfunc>& ternary_ufuncs() {
  static const std::map<std::string, array::TernaryUfunc> ufuncs = {
      {"clip", array::clip},
      {"multiply_add", array::multiply_add},
  };
  return ufuncs;
}

}  // namespace catena::testing
