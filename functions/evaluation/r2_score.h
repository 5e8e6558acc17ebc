#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct R2ScoreOptions {
  NamedFieldsOnly keywords = {};
  // "uniform_average" over the outputs, or "raw_values" for one score per
  // output.
  std::string_view multioutput = "uniform_average";
};

// The coefficient of determination of predictions along the first axis,
//
//   1 - sum((pred - truth)^2) / sum((truth - mean(truth))^2),
//
// or 0 where the truth is constant. Chainer's argument `true` is a keyword in
// C++, and its sample_weight can only be None. No gradient. Inputs have the
// same floating dtype and shape, else InvalidType; throws ValueError for an
// unknown `multioutput`.
Variable r2_score(const Variable& pred, const Variable& truth,
                  const R2ScoreOptions& options = {});

}  // namespace catena::functions
