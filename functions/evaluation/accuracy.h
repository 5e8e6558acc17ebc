#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct AccuracyOptions {
  // Rows with this label do not count.
  std::optional<int64_t> ignore_label = std::nullopt;
};

// The part of the rows whose largest score is at their label: y is (N, C,
// d...), floating, t (N, d...), integers; further axes of y must be of
// extent 1. The result is 0-d, of y's dtype; 0 when every row is ignored, NaN
// when there is none. No gradient. InvalidType when dtypes or shapes do not
// fit.
Variable accuracy(const Variable& y, const Variable& t,
                  const AccuracyOptions& options = {});
Variable accuracy(const Variable& y, const Array& t,
                  const AccuracyOptions& options = {});

}  // namespace catena::functions
