#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/array.h"

// Running sums and products, with NumPy's names, defaults and dtype rules.
// IndexError for an axis out of range.
namespace catena::array {

struct CumulativeOptions {
  std::optional<int64_t> axis = std::nullopt;  // absent: a is flattened
  // What the elements are cast to before, and the result has.
  std::optional<Dtype> dtype = std::nullopt;
};

// y_i = x_0 + ... + x_i and x_0 ... x_i along the axis. The dtypes are those of
// sum: bool and signed integers give int64, unsigned ones uint64, wrapping
// round; floats keep theirs and are added up in double. Results do not depend
// on the number of threads. DtypeError for a dtype of bool.
Array cumsum(const Array& a, const CumulativeOptions& options = {});
Array cumprod(const Array& a, const CumulativeOptions& options = {});

}  // namespace catena::array
