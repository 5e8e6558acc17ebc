#include "catena/optimizers/loss_scaler.h"

#include <algorithm>
#include <cmath>

#include "catena/array/core/error.h"

namespace catena {
LossScaler::LossScaler(const LossScalingOptions& options)
    : options_(options), scale_(options.scale.value_or(1.0)) {
  if (options.interval < 1) {
    raise<ValueError>("loss_scaling: expected an interval of at least 1, got ",
                      options.interval);
  }
  if (!(scale_ > 0) || !std::isfinite(scale_)) {
    raise<ValueError>("loss_scaling: expected a finite scale above 0, got ",
                      scale_);
  }
}

double LossScaler::growth() const {
  return std::exp2(1.0 / static_cast<double>(options_.interval));
}

void LossScaler::after_step(bool is_finite) {
  if (!is_dynamic()) return;
  if (!is_finite) {
    has_overflowed_ = true;
    scale_ = std::max(scale_ / 2, 1.0);
  } else if (has_overflowed_) {
    scale_ *= growth();
  } else {
    scale_ *= 2;
  }
  scale_ = std::min(scale_, kMaxScale);
}

void LossScaler::restore(double scale, bool has_overflowed) {
  scale_ = scale;
  has_overflowed_ = has_overflowed;
}

}  // namespace catena
