#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct AccuracyOptions {
  NamedFieldsOnly keywords = {};
  // Rows with this label are ignored.
  std::optional<int64_t> ignore_label = std::nullopt;
};

// The fraction of rows whose largest score is at their label: y is (N, C,
// d...), floating; t is (N, d...), integers; further axes of y must have extent
// 1. The result is 0-d, with y's dtype; 0 when every row is ignored, NaN when
// there are no rows. No gradient. Throws InvalidType when dtypes or shapes do
// not match.
Variable accuracy(const Variable& y, const Variable& t,
                  const AccuracyOptions& options = {});
Variable accuracy(const Variable& y, const Array& t,
                  const AccuracyOptions& options = {});

}  // namespace catena::functions
