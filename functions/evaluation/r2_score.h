#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct R2ScoreOptions {
  // "uniform_average" over the outputs, or "raw_values" for one of each.
  std::string_view multioutput = "uniform_average";
};

// The coefficient of determination of predictions along the first axis,
//
//   1 - sum((pred - truth)^2) / sum((truth - mean(truth))^2),
//
// 0 where the truth does not vary. Chainer's `true` is no name in C++, and its
// sample_weight can only be None. No gradient. Floating, of one dtype and
// shape, else InvalidType; ValueError for another `multioutput`.
Variable r2_score(const Variable& pred, const Variable& truth,
                  const R2ScoreOptions& options = {});

}  // namespace catena::functions
