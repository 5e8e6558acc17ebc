#pragma once

#include <string_view>

#include "catena/array/core/host_device.h"

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

// v <- momentum * v - g,  w <- w + lr * v
struct CorrectedMomentumSGDOp {
  static constexpr std::string_view kName = "CorrectedMomentumSGD";
  double lr;
  double momentum;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& param, T& v) const {
    v = T(momentum) * v - grad;
    param += T(lr) * v;
  }
};

// v <- momentum v - lr g,  w <- w + momentum^2 v - (1 + momentum) lr g
struct NesterovAGOp {
  static constexpr std::string_view kName = "NesterovAG";
  double lr;
  double momentum;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& param, T& v) const {
    v = T(momentum) * v - T(lr) * grad;
    param += T(momentum * momentum) * v - T((1 + momentum) * lr) * grad;
  }
};

}  // namespace catena::optimizers
