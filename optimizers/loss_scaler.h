#pragma once

#include <cstdint>
#include <optional>

namespace catena {

struct LossScalingOptions {
  // How many good steps double a dynamic scale, once it has been too large.
  int64_t interval = 1000;
  // A scale that stays; without one it is dynamic.
  std::optional<double> scale = std::nullopt;
};

// The factor of the loss's gradient in mixed precision. A dynamic one starts at
// 1 and doubles with each step until gradients overflow for the first time;
// from then on it halves whenever they do, but not below 1, and else grows so
// as to double in `interval` steps. ValueError when an option is out of range.
class LossScaler {
 public:
  explicit LossScaler(const LossScalingOptions& options);

  double scale() const { return scale_; }
  bool is_dynamic() const { return !options_.scale; }
  // Whether the gradients of a step were finite.
  void after_step(bool is_finite);

  // For snapshots.
  void restore(double scale, bool has_overflowed);
  bool has_overflowed() const { return has_overflowed_; }

 private:
  LossScalingOptions options_;
  double scale_;
  bool has_overflowed_ = false;
};

}  // namespace catena
