#pragma once

#include <optional>

#include "catena/array/array.h"

// Places in sorted arrays.
namespace catena::array {

enum class Side : uint8_t { kLeft, kRight };

struct SearchsortedOptions {
  // Before or behind elements that are equal.
  Side side = Side::kLeft;
  // Integers that sort `a`, as argsort(a) gives; `a` rises by itself without.
  std::optional<Array> sorter = std::nullopt;
};

// Where each of `values` would have to be inserted into `a` (one axis, rising,
// NaN last) to keep its order: with kLeft a[i - 1] < v <= a[i], with kRight
// a[i - 1] <= v < a[i]. int64, of the shape of `values`. Both are compared in
// the dtype that they promote to. ShapeError, DeviceError; for the sorter also
// DtypeError and IndexError.
Array searchsorted(const Array& a, const Operand& values,
                   const SearchsortedOptions& options = {});

struct DigitizeOptions {
  bool right = false;
};

// The bin of each element of `x`: the i with bins[i - 1] <= x < bins[i]
// (bins[i - 1] < x <= bins[i] with `right`); for falling bins the i with
// bins[i - 1] > x >= bins[i] (bins[i - 1] >= x > bins[i]). 0 and the number of
// bins stand for what lies outside. int64. ValueError unless the bins rise or
// fall, which waits for the device; ShapeError unless they have one axis.
Array digitize(const Array& x, const Array& bins,
               const DigitizeOptions& options = {});

}  // namespace catena::array
