#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_ops.h"
#include "catena/functions/engines/elementwise/noise_params.h"
#include "catena/functions/engines/elementwise/rule.h"

// Piecewise linear activations: rules and functors. To add one, add its
// functors and rule here, its name to the list at the end, and a header.
namespace catena::functions {

// min(max(x, 0), z).
struct ClippedReluParams {
  double z;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("z", z);
  }
};
struct ClippedReluOp : ClippedReluParams {
  static constexpr std::string_view kName = "clipped_relu";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return array::ClipOp()(x, T(0), T(z));
  }
};
struct ClippedReluGradient : ClippedReluParams {
  static constexpr std::string_view kName = "gradient of clipped_relu";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return math::select(x > T(0) && x < T(z), gy, T(0));
  }
};
struct ClippedRelu {
  static constexpr std::string_view kLabel = "clipped_relu";
  using Params = ClippedReluParams;
  using Forward = ClippedReluOp;
  using Gradients = TypeList<On<ClippedReluGradient, X0>>;
};

// min(max(0.2 x + 0.5, 0), 1), linear for |x| < 2.5.
struct HardSigmoidOp {
  static constexpr std::string_view kName = "hard_sigmoid";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return array::ClipOp()(x * T(0.2) + T(0.5), T(0), T(1));
  }
};
struct HardSigmoidGradient {
  static constexpr std::string_view kName = "gradient of hard_sigmoid";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return math::select(x > T(-2.5) && x < T(2.5), gy * T(0.2), T(0));
  }
};
struct HardSigmoid {
  static constexpr std::string_view kLabel = "hard_sigmoid";
  using Forward = HardSigmoidOp;
  using Gradients = TypeList<On<HardSigmoidGradient, X0>>;
};

// x, or slope x where x is negative.
struct LeakyReluParams {
  double slope;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("slope", slope);
  }
};
struct LeakyReluOp : LeakyReluParams {
  static constexpr std::string_view kName = "leaky_relu";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return math::select(x < T(0), x * T(slope), x);
  }
};
struct LeakyReluGradient : LeakyReluParams {
  static constexpr std::string_view kName = "gradient of leaky_relu";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return math::select(x < T(0), gy * T(slope), gy);
  }
};
struct LeakyRelu {
  static constexpr std::string_view kLabel = "leaky_relu";
  using Params = LeakyReluParams;
  using Forward = LeakyReluOp;
  using Gradients = TypeList<On<LeakyReluGradient, X0>>;
};

// Leaky ReLU with slopes from an array: learned, with a gradient, or random,
// without.
struct SlopesOp {
  static constexpr std::string_view kName = "leaky_relu with an array";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T W) const {
    return math::select(x < T(0), x * W, x);
  }
};
struct SlopesInputGradient {
  static constexpr std::string_view kName =
      "gradient of leaky_relu with an array";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T W, T gy) const {
    return math::select(x < T(0), gy * W, gy);
  }
};
struct SlopesGradient {
  static constexpr std::string_view kName = "gradient of slopes";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return math::select(x < T(0), gy * x, T(0));
  }
};
struct PRelu {
  static constexpr std::string_view kLabel = "prelu";
  static constexpr std::string_view kInputNames[] = {"x", "W"};
  using Forward = SlopesOp;
  using Gradients =
      TypeList<On<SlopesInputGradient, X0, X1>, On<SlopesGradient, X0>>;
};
struct RRelu {
  static constexpr std::string_view kLabel = "rrelu";
  static constexpr std::string_view kInputNames[] = {"x", "r"};
  using Params = NoiseParams;
  using Forward = SlopesOp;
  using Gradients = TypeList<On<SlopesInputGradient, X0, X1>, NoGradient>;
};

// The second half of crelu, max(-x, 0).
struct NegatedReluOp {
  static constexpr std::string_view kName = "relu of -x";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return array::ReluOp()(-x);
  }
};
// Computed from the two halves of the result, y0 = max(x, 0) and y1 = max(-x,
// 0).
struct CReluGradient {
  static constexpr std::string_view kName = "gradient of crelu";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y0, T y1, T gy0, T gy1) const {
    return math::select(y0 > T(0), gy0, T(0)) -
           math::select(y1 > T(0), gy1, T(0));
  }
};

// Every rule above, for the kernels.
using PiecewiseRules =
    TypeList<ClippedRelu, HardSigmoid, LeakyRelu, PRelu, RRelu>;

}  // namespace catena::functions
