#pragma once

#include <string_view>

#include "catena/array/core/host_device.h"
#include "catena/array/kernels/math.h"

// What becomes of a product's weights W and bias b where batch normalization by
// fixed statistics follows: normalization(W x + b) = W' x + b'.
namespace catena::functions {

// W', where the parameters of channels broadcast to W.
struct FoldedWeightsOp {
  static constexpr std::string_view kName = "folded weights";
  double eps;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T W, T gamma, T var) const {
    return W * (gamma / math::sqrt(var + T(eps)));
  }
};

// b'.
struct FoldedBiasOp {
  static constexpr std::string_view kName = "folded bias";
  double eps;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T b, T gamma, T beta, T mean, T var) const {
    return (b - mean) * (gamma / math::sqrt(var + T(eps))) + beta;
  }
};

}  // namespace catena::functions
