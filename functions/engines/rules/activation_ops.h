#pragma once

#include <string_view>

#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_ops.h"
#include "catena/functions/engines/elementwise/rule.h"

// Elementwise activations: rules, and functors that are not ufuncs. To add one,
// add its functors and rule here, its name to the list at the end, and a
// header.
namespace catena::functions {

struct ReluGradient {
  static constexpr std::string_view kName = "gradient of relu";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y, T gy) const {
    return math::select(y > T(0), gy, T(0));
  }
};
struct Relu {
  static constexpr std::string_view kLabel = "relu";
  using Forward = array::ReluOp;
  using Gradients = TypeList<On<ReluGradient, Y>>;
};

struct SigmoidGradient {
  static constexpr std::string_view kName = "gradient of sigmoid";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y, T gy) const {
    return gy * y * (T(1) - y);
  }
};
struct Sigmoid {
  static constexpr std::string_view kLabel = "sigmoid";
  using Forward = array::SigmoidOp;
  using Gradients = TypeList<On<SigmoidGradient, Y>>;
};

struct TanhGradient {
  static constexpr std::string_view kName = "gradient of tanh";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y, T gy) const {
    return gy * (T(1) - y * y);
  }
};
struct Tanh {
  static constexpr std::string_view kLabel = "tanh";
  using Forward = array::TanhOp;
  using Gradients = TypeList<On<TanhGradient, Y>>;
};

// Every rule above, for the kernels.
using ActivationRules = TypeList<Relu, Sigmoid, Tanh>;

}  // namespace catena::functions
