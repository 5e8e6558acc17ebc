#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/functions/engines/elementwise/rule.h"
#include "catena/functions/loss/internal/logistic.h"

// The rule of sigmoid_cross_entropy before reduction; t has x's dtype.
namespace catena::functions {

// log(1 + exp(x)) - t x, computed without overflow; 0 where t is -1.
struct SigmoidCrossEntropyOp {
  static constexpr std::string_view kName = "sigmoid_cross_entropy";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T t) const {
    return math::select(t == T(-1), T(0), log_one_plus_exp(x) - t * x);
  }
};
struct SigmoidCrossEntropyGradient {
  static constexpr std::string_view kName = "gradient of sigmoid_cross_entropy";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T t, T gy) const {
    return math::select(t == T(-1), T(0), (logistic(x) - t) * gy);
  }
};
struct SigmoidCrossEntropy {
  static constexpr std::string_view kLabel = "sigmoid_cross_entropy";
  static constexpr std::string_view kInputNames[] = {"x", "t"};
  using Forward = SigmoidCrossEntropyOp;
  using Gradients =
      TypeList<On<SigmoidCrossEntropyGradient, X0, X1>, NoGradient>;
};

}  // namespace catena::functions
