#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_ops.h"
#include "catena/functions/engines/elementwise/rule.h"
#include "catena/functions/math/internal/error_function_math.h"

// Activations that weigh x by the probability that something is below it, and
// their products with a second array: rules and functors.
namespace catena::functions {

// The distribution function of the normal distribution for gradients that are
// recorded (gelu.cc).
class Traced;
Traced lanes_ndtr(const Traced& x);

// The distribution function of the normal distribution, its approximation by
// tanh, and the logistic function: each a struct with at(x), and rate(x), which
// is x times the derivative, and with the names of what is made of it. Beyond
// kFar, at(-x) is 0, and x times 0 would be NaN for infinities.
struct NormalGate {
  static constexpr std::string_view kName = "gelu";
  static constexpr std::string_view kGradient = "gradient of gelu";
  static constexpr std::string_view kProduct = "geglu";
  static constexpr std::string_view kProductGradient = "gradient of geglu";
  static constexpr double kFar = 64;
  template <class T>
  static CATENA_HOST_DEVICE T at(T x) {
    if constexpr (requires { lanes_ndtr(x); }) {
      return lanes_ndtr(x);  // recorded
    } else {
      return ndtr_of(x);
    }
  }
  template <class T>
  static CATENA_HOST_DEVICE T rate(T x) {
    return x * math::exp(x * x * T(-0.5)) * T(0.3989422804014327);
  }
};
struct LogisticGate {
  static constexpr std::string_view kName = "silu";
  static constexpr std::string_view kGradient = "gradient of silu";
  static constexpr std::string_view kProduct = "swiglu";
  static constexpr std::string_view kProductGradient = "gradient of swiglu";
  static constexpr double kFar = 1000;
  template <class T>
  static CATENA_HOST_DEVICE T at(T x) {
    if constexpr (requires { lanes_sigmoid(x); }) {
      return lanes_sigmoid(x);  // recorded
    } else {
      return array::SigmoidOp()(x);
    }
  }
  template <class T>
  static CATENA_HOST_DEVICE T rate(T x) {
    const T s = at(x);
    return x * s * (T(1) - s);
  }
};
// (1 + tanh(u)) / 2 is the logistic function of 2 u, where u is
// sqrt(2 / pi) (x + 0.044715 x^3).
struct TanhGate : NormalGate {
  static constexpr double kSlope = 1.5957691216057308;  // sqrt(8 / pi)
  template <class T>
  static CATENA_HOST_DEVICE T at(T x) {
    return LogisticGate::at(x * (x * x * T(kSlope * 0.044715) + T(kSlope)));
  }
  template <class T>
  static CATENA_HOST_DEVICE T rate(T x) {
    const T s = at(x);
    const T slope = x * x * T(kSlope * 3 * 0.044715) + T(kSlope);
    return x * slope * s * (T(1) - s);
  }
};

// x within what a gate tells apart from 0 and 1.
template <class Gate, class T>
CATENA_HOST_DEVICE T within_gate(T x) {
  const T above = math::select(x < T(-Gate::kFar), T(-Gate::kFar), x);
  return math::select(above > T(Gate::kFar), T(Gate::kFar), above);
}

// x gate(x), and its derivative.
template <class Gate, class T>
CATENA_HOST_DEVICE T gated(T x) {
  const T above = math::select(x < T(-Gate::kFar), T(-Gate::kFar), x);
  return above * Gate::at(within_gate<Gate>(x));
}
template <class Gate, class T>
CATENA_HOST_DEVICE T slope_of_gated(T x) {
  const T held = within_gate<Gate>(x);
  return Gate::at(held) + Gate::rate(held);
}

// y = x gate(x).
template <class Gate>
struct GatedOp {
  static constexpr std::string_view kName = Gate::kName;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return gated<Gate>(x);
  }
};
template <class Gate>
struct GatedGradient {
  static constexpr std::string_view kName = Gate::kGradient;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy * slope_of_gated<Gate>(x);
  }
};

// y = x gate(x) times a second array, `value`.
template <class Gate>
struct GatedProductOp {
  static constexpr std::string_view kName = Gate::kProduct;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T value) const {
    return gated<Gate>(x) * value;
  }
};
template <class Gate>
struct GatedProductGateGradient {
  static constexpr std::string_view kName = Gate::kProductGradient;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T value, T gy) const {
    return gy * value * slope_of_gated<Gate>(x);
  }
};
template <class Gate>
struct GatedProductValueGradient {
  static constexpr std::string_view kName = Gate::kProductGradient;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy * gated<Gate>(x);
  }
};

template <class Gate>
struct GatedRule {
  static constexpr std::string_view kLabel = Gate::kName;
  using Forward = GatedOp<Gate>;
  using Gradients = TypeList<On<GatedGradient<Gate>, X0>>;
};
template <class Gate>
struct GatedProductRule {
  static constexpr std::string_view kLabel = Gate::kProduct;
  static constexpr std::string_view kInputNames[] = {"gate", "value"};
  using Forward = GatedProductOp<Gate>;
  using Gradients = TypeList<On<GatedProductGateGradient<Gate>, X0, X1>,
                             On<GatedProductValueGradient<Gate>, X0>>;
};
struct Gelu : GatedRule<NormalGate> {};
struct TanhGelu : GatedRule<TanhGate> {};
struct Silu : GatedRule<LogisticGate> {};
struct Geglu : GatedProductRule<NormalGate> {};
struct TanhGeglu : GatedProductRule<TanhGate> {};
struct Swiglu : GatedProductRule<LogisticGate> {};

// Every rule above, for the kernels.
using GeluRules = TypeList<Gelu, TanhGelu, Silu, Geglu, TanhGeglu, Swiglu>;

}  // namespace catena::functions
