#pragma once

#include <string_view>

#include "catena/array/host_device.h"

namespace catena::optimizers {

// g <- g + rate * w
struct WeightDecayOp {
  static constexpr std::string_view kName = "WeightDecay";
  double rate;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T param, T& grad) const {
    grad += T(rate) * param;
  }
};

// g <- rate * g
struct ScaleGradientOp {
  static constexpr std::string_view kName = "GradientClipping";
  double rate;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T& grad) const {
    grad *= T(rate);
  }
};

}  // namespace catena::optimizers
