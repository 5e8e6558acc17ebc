#pragma once

#include <cstdint>

#include "catena/array/core/named_fields_only.h"

namespace catena::array {

// The number of digits printed after the point.
enum class FloatMode : uint8_t {
  kFixed,         // always PrintOptions::precision
  kUnique,        // as many as distinguish the number from its neighbours
  kMaxprec,       // as kUnique, but at most `precision`
  kMaxprecEqual,  // as kMaxprec, but equally many for all elements
};

enum class PrintSign : uint8_t {
  kMinus,  // only negative numbers have a sign
  kPlus,   // all numbers have a sign
  kSpace,  // positive numbers have a space instead
};

// numpy.set_printoptions' settings, with its defaults.
struct PrintOptions {
  NamedFieldsOnly keywords = {};
  int precision = 8;
  int64_t threshold = 1000;  // with more elements "..." replaces the middle
  int64_t edgeitems = 3;     // elements on each side of "..."
  int64_t linewidth = 75;
  bool suppress = false;  // no exponents for small numbers
  FloatMode floatmode = FloatMode::kMaxprec;
  PrintSign sign = PrintSign::kMinus;
};

}  // namespace catena::array
