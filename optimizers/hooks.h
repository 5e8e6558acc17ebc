#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "catena/optimizers/optimizer.h"

// Hooks for Optimizer::add_hook, which run before each step on all parameters
// of the target.
namespace catena::optimizers {

// Adds rate * w to each gradient, the gradient of an L2 penalty rate / 2 |w|^2.
// Throws ValueError unless rate is finite.
class WeightDecay {
 public:
  static constexpr std::string_view kName = "WeightDecay";
  static constexpr bool kIsCapturable = true;
  static constexpr bool kJoinsStep = true;
  explicit WeightDecay(double rate);
  void operator()(Optimizer& optimizer) const;
  double rate() const { return rate_; }

 private:
  double rate_;
};

// Scales all gradients down so that their global Euclidean norm is at most the
// threshold. Throws ValueError unless the threshold is positive.
class GradientClipping {
 public:
  static constexpr std::string_view kName = "GradientClipping";
  static constexpr bool kIsCapturable = true;
  static constexpr bool kJoinsStep = true;
  explicit GradientClipping(double threshold);
  void operator()(Optimizer& optimizer) const;
  double threshold() const { return threshold_; }

 private:
  double threshold_;
};

// Adds rate * sign(w) to each gradient, the gradient of an L1 penalty rate
// |w|_1. Throws ValueError unless rate is finite.
class Lasso {
 public:
  static constexpr std::string_view kName = "Lasso";
  static constexpr bool kIsCapturable = true;
  static constexpr bool kJoinsStep = true;
  explicit Lasso(double rate);
  void operator()(Optimizer& optimizer) const;
  double rate() const { return rate_; }

 private:
  double rate_;
};

// Clips each element of each gradient to [lower, upper]; NaN stays NaN. Throws
// ValueError unless lower <= upper.
class GradientHardClipping {
 public:
  static constexpr std::string_view kName = "GradientHardClipping";
  static constexpr bool kIsCapturable = true;
  static constexpr bool kJoinsStep = true;
  GradientHardClipping(double lower, double upper);
  void operator()(Optimizer& optimizer) const;

 private:
  double lower_;
  double upper_;
};

class GradientNoise;

// The noise for `grad` in step t (from 0): samples of N(0, eta / (1 + t)^0.55)
// (Neelakantan et al., 2015), drawn from the generator of grad's device.
Array exponential_decay_noise(const Array& grad, const GradientNoise& hook,
                              int64_t t);

// Adds noise to each gradient. Throws ValueError unless eta is finite and
// nonnegative.
class GradientNoise {
 public:
  using Noise = std::function<Array(const Array& grad,
                                    const GradientNoise& hook, int64_t t)>;
  static constexpr std::string_view kName = "GradientNoise";
  explicit GradientNoise(double eta, Noise noise = exponential_decay_noise);
  void operator()(Optimizer& optimizer) const;
  double eta() const { return eta_; }

 private:
  double eta_;
  Noise noise_;
};

struct GradientLARSOptions {
  NamedFieldsOnly keywords = {};
  double threshold = 1e-2;
  double weight_decay = 0;
  double eps = 1e-9;
};

// Layer-wise adaptive rate scaling (LARS; You et al., 2017): with Euclidean
// norms for each parameter, g <- |w| / (eps + |g| + weight_decay |w|) (g +
// weight_decay w), without the factor if |w| <= threshold. Throws ValueError
// for negative options.
class GradientLARS {
 public:
  static constexpr std::string_view kName = "GradientLARS";
  static constexpr bool kIsCapturable = true;
  explicit GradientLARS(const GradientLARSOptions& options = {});
  void operator()(Optimizer& optimizer) const;

 private:
  GradientLARSOptions options_;
};

}  // namespace catena::optimizers
