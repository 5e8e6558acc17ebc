#pragma once

#include <cmath>
#include <type_traits>

#include "catena/array/core/host_device.h"

// Math functions for functors. T is a scalar or, in the CPU's vector loops, a
// vector of lanes (cpu/lanes.h), whose functions are found by ADL. Functors
// must not branch on a T, so that one body serves both. float16 and bfloat16
// are passed to functors as float.
namespace catena::math {

template <class T>
concept Lanes = requires {
  typename T::Lane;
};

template <class T>
concept Floating = Lanes<T> || std::is_floating_point_v<T>;

// if_true where the condition holds, else if_false.
template <class Mask, class T>
CATENA_HOST_DEVICE T select(Mask condition, T if_true, T if_false) {
  if constexpr (Lanes<T>) {
    return lanes_select(condition, if_true, if_false);
  } else {
    return condition ? if_true : if_false;
  }
}

template <Floating T>
CATENA_HOST_DEVICE auto is_nan(T x) {
  return x != x;
}

// a if it is larger (smaller), else b; hence b if either is NaN.
template <Floating T>
CATENA_HOST_DEVICE T max(T a, T b) {
  if constexpr (Lanes<T>) {
    return lanes_max(a, b);
  } else {
    return a > b ? a : b;
  }
}

template <Floating T>
CATENA_HOST_DEVICE T min(T a, T b) {
  if constexpr (Lanes<T>) {
    return lanes_min(a, b);
  } else {
    return a < b ? a : b;
  }
}

template <Floating T>
CATENA_HOST_DEVICE T exp(T x) {
  using std::exp;
  return exp(x);
}

template <Floating T>
CATENA_HOST_DEVICE T log(T x) {
  using std::log;
  return log(x);
}

template <Floating T>
CATENA_HOST_DEVICE T log1p(T x) {
  using std::log1p;
  return log1p(x);
}

template <Floating T>
CATENA_HOST_DEVICE T exp2(T x) {
  using std::exp2;
  return exp2(x);
}

template <Floating T>
CATENA_HOST_DEVICE T expm1(T x) {
  using std::expm1;
  return expm1(x);
}

template <Floating T>
CATENA_HOST_DEVICE T log2(T x) {
  using std::log2;
  return log2(x);
}

template <Floating T>
CATENA_HOST_DEVICE T log10(T x) {
  using std::log10;
  return log10(x);
}

template <Floating T>
CATENA_HOST_DEVICE T sin(T x) {
  using std::sin;
  return sin(x);
}

template <Floating T>
CATENA_HOST_DEVICE T cos(T x) {
  using std::cos;
  return cos(x);
}

template <Floating T>
CATENA_HOST_DEVICE T floor(T x) {
  using std::floor;
  return floor(x);
}

template <Floating T>
CATENA_HOST_DEVICE T ceil(T x) {
  using std::ceil;
  return ceil(x);
}

template <Floating T>
CATENA_HOST_DEVICE T trunc(T x) {
  using std::trunc;
  return trunc(x);
}

// Rounds to the nearest integer, ties to even.
template <Floating T>
CATENA_HOST_DEVICE T rint(T x) {
  using std::rint;
  return rint(x);
}

// The magnitude of x with the sign of y.
template <Floating T>
CATENA_HOST_DEVICE T copysign(T x, T y) {
  using std::copysign;
  return copysign(x, y);
}

template <Floating T>
CATENA_HOST_DEVICE T tanh(T x) {
  using std::tanh;
  return tanh(x);
}

template <Floating T>
CATENA_HOST_DEVICE T sqrt(T x) {
  using std::sqrt;
  return sqrt(x);
}

template <class T>
CATENA_HOST_DEVICE T abs(T x) {
  if constexpr (Lanes<T>) {
    return abs(x);
  } else if constexpr (std::is_unsigned_v<T>) {
    return x;
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(x);
  } else {
    // Negated as unsigned: the minimum is its own absolute value, as in NumPy.
    using U = std::make_unsigned_t<T>;
    return x < 0 ? static_cast<T>(U{0} - static_cast<U>(x)) : x;
  }
}

template <Floating T>
CATENA_HOST_DEVICE T pow(T x, T y) {
  using std::pow;
  return pow(x, y);
}

}  // namespace catena::math
