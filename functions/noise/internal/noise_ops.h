#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_ops.h"
#include "catena/functions/engines/elementwise/noise_params.h"
#include "catena/functions/engines/elementwise/rule.h"

// Functions that combine their inputs with random arrays: rules and functors.
// The random array is the last input and gets no gradient.
namespace catena::functions {

// mean + exp(ln_var / 2) eps.
struct GaussianOp {
  static constexpr std::string_view kName = "gaussian";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T mean, T ln_var, T eps) const {
    return mean + math::exp(ln_var * T(0.5)) * eps;
  }
};
struct GaussianVarianceGradient {
  static constexpr std::string_view kName = "gradient of gaussian";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T ln_var, T eps, T gy) const {
    return gy * eps * math::exp(ln_var * T(0.5)) * T(0.5);
  }
};
struct Gaussian {
  static constexpr std::string_view kLabel = "gaussian";
  static constexpr std::string_view kInputNames[] = {"mean", "ln_var", "eps"};
  using Params = NoiseParams;
  using Forward = GaussianOp;
  using Gradients =
      TypeList<PassesThrough, On<GaussianVarianceGradient, X1, X2>, NoGradient>;
};

// x where the mask is not 0, else h.
struct ZoneoutOp {
  static constexpr std::string_view kName = "zoneout";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T h, T x, T mask) const {
    return math::select(mask == T(0), h, x);
  }
};
struct ZoneoutKeptGradient {
  static constexpr std::string_view kName = "gradient of zoneout";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T mask, T gy) const {
    return math::select(mask == T(0), gy, T(0));
  }
};
struct ZoneoutTakenGradient {
  static constexpr std::string_view kName = "gradient of zoneout";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T mask, T gy) const {
    return math::select(mask == T(0), T(0), gy);
  }
};
struct Zoneout {
  static constexpr std::string_view kLabel = "zoneout";
  static constexpr std::string_view kInputNames[] = {"h", "x", "mask"};
  using Params = NoiseParams;
  using Forward = ZoneoutOp;
  using Gradients = TypeList<On<ZoneoutKeptGradient, X2>,
                             On<ZoneoutTakenGradient, X2>, NoGradient>;
};

// What gumbel_softmax adds to its logarithms.
struct GumbelNoise {
  static constexpr std::string_view kLabel = "gumbel_softmax";
  static constexpr std::string_view kInputNames[] = {"log_pi", "noise"};
  using Params = NoiseParams;
  using Forward = array::AddOp;
  using Gradients = TypeList<PassesThrough, NoGradient>;
};

// The weights that simplified_dropconnect keeps.
struct KeptWeights {
  static constexpr std::string_view kLabel = "simplified_dropconnect";
  static constexpr std::string_view kInputNames[] = {"W", "mask"};
  using Params = NoiseParams;
  using Forward = array::MultiplyOp;
  using Gradients = TypeList<On<array::MultiplyOp, X1>, NoGradient>;
};

// Every rule above, for the kernels.
using NoiseRules = TypeList<Gaussian, Zoneout, GumbelNoise, KeptWeights>;

}  // namespace catena::functions
