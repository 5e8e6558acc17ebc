#include "catena/links/link_hooks/weight_standardization.h"

#include "catena/array/core/error.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sqrt.h"
#include "catena/functions/math/square.h"

namespace catena::link_hooks {

WeightStandardization::WeightStandardization(
    const WeightStandardizationOptions& options)
    : WeightHook(options.weight_name), eps_(options.eps) {
  if (!(eps_ >= 0)) {
    raise<ValueError>("WeightStandardization: expected eps of at least 0, got ",
                      eps_);
  }
}

Variable WeightStandardization::compute_weight(Link&, const Variable& W) {
  if (W.ndim() < 2) {
    raise<ShapeError>(
        "WeightStandardization: expected a weight of at least 2 axes, got "
        "shape ",
        W.shape());
  }
  Axes axes;
  for (int64_t i = 1; i < W.ndim(); ++i) axes.push_back(i);
  const functions::AverageOptions rest = {.axis = axes, .keepdims = true};
  const Variable centered = W - functions::mean(W, rest);
  const Variable variance = functions::mean(functions::square(centered), rest);
  return centered / functions::sqrt(variance + eps_);
}

}  // namespace catena::link_hooks
