#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "catena/array/array.h"

namespace catena::array {

// What is put around an array; for the elements a b c d and 2 places:
enum class PadMode : uint8_t {
  kConstant,   // 0 0 | a b c d | 0 0
  kEdge,       // a a | a b c d | d d
  kReflect,    // c b | a b c d | c b   (goes to and fro when it is wider)
  kSymmetric,  // b a | a b c d | d c   (the same)
  kWrap,       // c d | a b c d | a b   (goes round)
};

// Places before and behind.
struct PadWidth {
  int64_t before = 0;
  int64_t after = 0;
};
// Numbers before and behind.
struct PadValue {
  PadValue() = default;
  template <class T>
  requires Element<T> PadValue(T value) : before(value), after(value) {}
  PadValue(Scalar before, Scalar after) : before(before), after(after) {}
  Scalar before = 0;
  Scalar after = 0;
};

struct PadOptions {
  PadMode mode = PadMode::kConstant;
  // For kConstant: of each axis, or one for all; cast to the array's dtype. A
  // corner has the number of the last axis.
  std::vector<PadValue> constant_values = {PadValue()};
};

// The array in a larger one, with `width` places around it along every axis, or
// with a width for each axis ({{1, 1}, {0, 2}}), or one for all ({{0, 2}}). A
// new array. ValueError for a negative width, another number of widths or
// constants than one or ndim, or a mode other than kConstant along an axis
// without elements; ShapeError when too much comes out.
Array pad(const Array& a, int64_t width, const PadOptions& options = {});
Array pad(const Array& a, const std::vector<PadWidth>& widths,
          const PadOptions& options = {});

}  // namespace catena::array
