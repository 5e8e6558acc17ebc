#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/core/named_fields_only.h"

namespace catena {

struct LossScalingOptions {
  NamedFieldsOnly keywords = {};
  // The number of good steps in which a dynamic scale doubles, after the first
  // overflow.
  int64_t interval = 1000;
  // A fixed scale; dynamic by default.
  std::optional<double> scale = std::nullopt;
};

// The loss scale of mixed-precision training. A dynamic scale starts at 1 and
// doubles with each step until gradients first overflow; from then on it is
// halved at each overflow, but not below 1, and otherwise grows so that it
// doubles in `interval` steps. Throws ValueError when an option is out of
// range.
class LossScaler {
 public:
  explicit LossScaler(const LossScalingOptions& options);

  // The largest dynamic scale, far beyond the range of float32 gradients.
  static constexpr double kMaxScale = 0x1p60;

  double scale() const { return scale_; }
  bool is_dynamic() const { return !options_.scale; }
  // By how much a dynamic scale grows in a good step after the first overflow.
  double growth() const;
  // Adjusts the scale after a step; is_finite says whether all gradients were
  // finite.
  void after_step(bool is_finite);

  // Restores a saved state.
  void restore(double scale, bool has_overflowed);
  bool has_overflowed() const { return has_overflowed_; }

 private:
  LossScalingOptions options_;
  double scale_;
  bool has_overflowed_ = false;
};

}  // namespace catena
