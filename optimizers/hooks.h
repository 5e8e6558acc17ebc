#pragma once

#include <string_view>

#include "catena/optimizers/optimizer.h"

// Hooks for Optimizer::add_hook: they run before each step over all parameters
// of the target.
namespace catena::optimizers {

// Adds rate * w to each gradient, which is what a penalty of rate / 2 |w|^2
// adds to the loss. ValueError unless the rate is finite.
class WeightDecay {
 public:
  static constexpr std::string_view kName = "WeightDecay";
  explicit WeightDecay(double rate);
  void operator()(Optimizer& optimizer) const;

 private:
  double rate_;
};

// Scales all gradients down together so that their joint Euclidean norm is at
// most the threshold. ValueError unless the threshold is above 0.
class GradientClipping {
 public:
  static constexpr std::string_view kName = "GradientClipping";
  explicit GradientClipping(double threshold);
  void operator()(Optimizer& optimizer) const;

 private:
  double threshold_;
};

}  // namespace catena::optimizers
