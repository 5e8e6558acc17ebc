#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "catena/array/array.h"

namespace catena::array {

// How an array is padded; for the elements a b c d and width 2:
enum class PadMode : uint8_t {
  kConstant,   // 0 0 | a b c d | 0 0
  kEdge,       // a a | a b c d | d d
  kReflect,    // c b | a b c d | c b   (repeats if wider)
  kSymmetric,  // b a | a b c d | d c   (repeats if wider)
  kWrap,       // c d | a b c d | a b   (cyclic)
};

// The number of elements before and after.
struct PadWidth {
  int64_t before = 0;
  int64_t after = 0;
};
// The values before and after.
struct PadValue {
  PadValue() = default;
  template <class T>
  requires Element<T> PadValue(T value) : before(value), after(value) {}
  PadValue(Scalar before, Scalar after) : before(before), after(after) {}
  Scalar before = 0;
  Scalar after = 0;
};

struct PadOptions {
  NamedFieldsOnly keywords = {};
  PadMode mode = PadMode::kConstant;
  // For kConstant: one per axis, or one for all; cast to the array's dtype.
  // Corners take the value of the last axis.
  std::vector<PadValue> constant_values = {PadValue()};
};

// A new array padded by `width` on both sides of every axis, by one width per
// axis ({{1, 1}, {0, 2}}), or by one for all ({{0, 2}}). Throws ValueError for
// a negative width, for a number of widths or constants other than 1 or ndim,
// and for a mode other than kConstant along an empty axis; ShapeError when the
// result is too large.
Array pad(const Array& a, int64_t width, const PadOptions& options = {});
Array pad(const Array& a, const std::vector<PadWidth>& widths,
          const PadOptions& options = {});

}  // namespace catena::array
