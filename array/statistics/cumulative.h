#pragma once

#include <optional>

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Cumulative sums and products with NumPy's names, defaults and dtype rules.
// Throw IndexError for an axis out of range.
namespace catena::array {

struct CumulativeOptions {
  NamedFieldsOnly keywords = {};
  std::optional<Axis> axis = std::nullopt;  // nullopt: flattened
  // The dtype to which the elements are cast first, and that of the result.
  std::optional<Dtype> dtype = std::nullopt;
};

// y_i = x_0 + ... + x_i and x_0 ... x_i along the axis. The dtypes are those of
// sum: bool and signed integers give int64, unsigned ones uint64, with
// wraparound; floats keep theirs and are accumulated in double. Results do not
// depend on the number of threads. Throws DtypeError for options.dtype bool.
Array cumsum(const Array& a, const CumulativeOptions& options = {});
Array cumprod(const Array& a, const CumulativeOptions& options = {});
template <class = void>
Array cumsum(const Array& a, std::optional<Axis> axis) {
  return cumsum(a, {.axis = axis});
}
template <class = void>
Array cumprod(const Array& a, std::optional<Axis> axis) {
  return cumprod(a, {.axis = axis});
}

}  // namespace catena::array
