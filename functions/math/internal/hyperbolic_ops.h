#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_float_ops.h"
#include "catena/array/kernels/ufunc_ops.h"
#include "catena/functions/engines/elementwise/rule.h"

// Hyperbolic functions: rules, and functors that are not ufuncs.
namespace catena::functions {

// sinh and cosh of lanes, within 3 ULP; overloaded for variables, for recorded
// gradients.
template <class T>
CATENA_HOST_DEVICE T hyperbolic_sine(T x) {
  if constexpr (requires { lanes_sinh(x); }) {
    return lanes_sinh(x);
  } else {
    // The mean of exp(|x|) - 1 and 1 - exp(-|x|).
    const T half = math::expm1(math::abs(x) * T(0.5));
    const T e = half * (half + T(2));  // exp(|x|) - 1
    const T rest = e / (e + T(1));
    // Halved early, so that nothing overflows before the result does.
    const T far = half * T(0.5) * (half + T(2));
    return math::copysign(math::select(e < T(1e17), (e + rest) * T(0.5), far),
                          x);
  }
}
template <class T>
CATENA_HOST_DEVICE T hyperbolic_cosine(T x) {
  if constexpr (requires { lanes_cosh(x); }) {
    return lanes_cosh(x);
  } else {
    const T root = math::exp(math::abs(x) * T(0.5));
    return root * T(0.5) * root + T(0.5) / (root * root);
  }
}

struct CoshGradient {
  static constexpr std::string_view kName = "gradient of cosh";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy * hyperbolic_sine(x);
  }
};
struct Cosh {
  static constexpr std::string_view kLabel = "cosh";
  using Forward = array::CoshOp;
  using Gradients = TypeList<On<CoshGradient, X0>>;
};

struct SinhGradient {
  static constexpr std::string_view kName = "gradient of sinh";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy * hyperbolic_cosine(x);
  }
};
struct Sinh {
  static constexpr std::string_view kLabel = "sinh";
  using Forward = array::SinhOp;
  using Gradients = TypeList<On<SinhGradient, X0>>;
};

struct ArctanhGradient {
  static constexpr std::string_view kName = "gradient of arctanh";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy / (T(1) - x * x);
  }
};
struct Arctanh {
  static constexpr std::string_view kLabel = "arctanh";
  using Forward = array::ArctanhOp;
  using Gradients = TypeList<On<ArctanhGradient, X0>>;
};

// Every rule above, for the kernels.
using HyperbolicRules = TypeList<Cosh, Sinh, Arctanh>;

}  // namespace catena::functions
