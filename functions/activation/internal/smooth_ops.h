#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_ops.h"
#include "catena/functions/engines/elementwise/rule.h"

// Activations built from exponentials: rules and functors. To add one, add its
// functors and rule here, its name to the list at the end, and a header.
namespace catena::functions {

// sigmoid(x), whose gradients of any order do not overflow.
template <class T>
CATENA_HOST_DEVICE T smooth_step(T x) {
  if constexpr (requires { lanes_sigmoid(x); }) {
    return lanes_sigmoid(x);  // recorded
  } else {
    return array::SigmoidOp()(x);
  }
}

// scale x, or scale alpha (exp(x) - 1) where x is negative.
struct EluParams {
  double alpha;
  double scale = 1;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("alpha", alpha);
    visit("scale", scale);
  }
};
struct EluOp : EluParams {
  static constexpr std::string_view kName = "elu";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::select(x < T(0), math::expm1(x) * T(scale * alpha),
                        x * T(scale));
  }
};
struct EluGradient : EluParams {
  static constexpr std::string_view kName = "gradient of elu";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    // An infinity in the branch not taken would make the derivative NaN.
    const T held = math::select(x < T(0), x, T(0));
    return math::select(x < T(0), gy * math::exp(held) * T(scale * alpha),
                        gy * T(scale));
  }
};
struct Elu {
  static constexpr std::string_view kLabel = "elu";
  using Params = EluParams;
  using Forward = EluOp;
  using Gradients = TypeList<On<EluGradient, X0>>;
};
struct Selu {
  static constexpr std::string_view kLabel = "selu";
  using Params = EluParams;
  using Forward = EluOp;
  using Gradients = TypeList<On<EluGradient, X0>>;
};

// log(1 + exp(beta x)) / beta without overflow.
struct SoftplusParams {
  double beta;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("beta", beta);
  }
};
struct SoftplusOp : SoftplusParams {
  static constexpr std::string_view kName = "softplus";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    const T z = x * T(beta);
    const T rest = math::log1p(math::exp(-math::abs(z)));
    return (math::max(z, T(0)) + rest) * T(1 / beta);
  }
};
struct SoftplusGradient : SoftplusParams {
  static constexpr std::string_view kName = "gradient of softplus";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy * smooth_step(x * T(beta));
  }
};
struct Softplus {
  static constexpr std::string_view kLabel = "softplus";
  using Params = SoftplusParams;
  using Forward = SoftplusOp;
  using Gradients = TypeList<On<SoftplusGradient, X0>>;
};

// x sigmoid(beta x).
struct SwishOp {
  static constexpr std::string_view kName = "swish";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T beta) const {
    return x * smooth_step(beta * x);
  }
};
struct SwishInputGradient {
  static constexpr std::string_view kName = "gradient of swish";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T beta, T gy) const {
    const T z = beta * x;
    const T s = smooth_step(z);
    return gy * (s + z * s * (T(1) - s));
  }
};
struct SwishBetaGradient {
  static constexpr std::string_view kName = "gradient of swish's beta";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T beta, T gy) const {
    const T s = smooth_step(beta * x);
    return gy * x * x * s * (T(1) - s);
  }
};
struct Swish {
  static constexpr std::string_view kLabel = "swish";
  static constexpr std::string_view kInputNames[] = {"x", "beta"};
  using Forward = SwishOp;
  using Gradients =
      TypeList<On<SwishInputGradient, X0, X1>, On<SwishBetaGradient, X0, X1>>;
};

// Every rule above, for the kernels.
using SmoothRules = TypeList<Elu, Selu, Softplus, Swish>;

}  // namespace catena::functions
