#pragma once

#include <optional>

#include "catena/array/array.h"

// Searching in sorted arrays.
namespace catena::array {

// Before the elements that are equal to the value, or after them.
enum class Side : uint8_t { kLeft, kRight };

struct SearchsortedOptions {
  NamedFieldsOnly keywords = {};
  // Before or after equal elements.
  Side side = Side::kLeft;
  // Indices that sort `a`, such as argsort(a). Without it `a` must be sorted.
  std::optional<Array> sorter = std::nullopt;
};

// Where to insert each of `values` into `a` (1-d, ascending, NaN last) to keep
// it sorted: with kLeft a[i - 1] < v <= a[i], with kRight a[i - 1] <= v < a[i].
// int64, of the shape of `values`. Both are compared in their promoted dtype.
// Throws ShapeError, DeviceError; for the sorter also DtypeError and
// IndexError.
Array searchsorted(const Array& a, const Operand& values,
                   const SearchsortedOptions& options = {});

struct DigitizeOptions {
  NamedFieldsOnly keywords = {};
  bool right = false;
};

// The bin of each element of `x`: the i with bins[i - 1] <= x < bins[i] (bins[i
// - 1] < x <= bins[i] with `right`); for descending bins the i with bins[i - 1]
// > x >= bins[i] (bins[i - 1] >= x > bins[i]). Values outside give 0 or the
// number of bins. int64. Throws ValueError unless the bins are monotonic, which
// waits for the device; ShapeError unless they are 1-d.
Array digitize(const Array& x, const Array& bins,
               const DigitizeOptions& options = {});

}  // namespace catena::array
