#pragma once

#include <string_view>

#include "catena/array/host_device.h"

namespace catena::optimizers {

// w <- w - lr * g
struct SGDOp {
  static constexpr std::string_view kName = "SGD";
  double lr;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& param) const {
    param -= T(lr) * grad;
  }
};

// v <- momentum * v - lr * g,  w <- w + v
struct MomentumSGDOp {
  static constexpr std::string_view kName = "MomentumSGD";
  double lr;
  double momentum;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& param, T& v) const {
    v = T(momentum) * v - T(lr) * grad;
    param += v;
  }
};

}  // namespace catena::optimizers
