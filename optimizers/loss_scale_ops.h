#pragma once

#include <string_view>

#include "catena/array/kernels/math.h"

namespace catena::optimizers {

// What LossScaler::after_step does, on the device, where `sum` is that of all
// gradients: NaN or infinite if one of them is. `rate` becomes what this step's
// gradients are multiplied by, 1 / scale, or 0 if the step is skipped;
// `skipped` counts such steps.
struct LossScaleOp {
  static constexpr std::string_view kName = "loss_scaling";
  double growth;  // of a dynamic scale in a good step, after the first overflow
  double most;    // the largest dynamic scale
  bool is_dynamic;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T sum, T& scale, T& has_overflowed,
                                     T& rate, T& skipped) const {
    const T zero(0);
    const T one(1);
    const auto is_finite = sum - sum == zero;
    rate = math::select(is_finite, one / scale, zero);
    skipped += math::select(is_finite, zero, one);
    if (!is_dynamic) return;
    const T grown =
        scale * math::select(has_overflowed > zero, T(growth), T(2));
    const T halved = math::max(scale / T(2), one);
    scale = math::min(math::select(is_finite, grown, halved), T(most));
    has_overflowed = math::select(is_finite, has_overflowed, one);
  }
};

}  // namespace catena::optimizers
