#pragma once

#include <string_view>

#include "catena/array/kernels/math.h"

namespace catena::optimizers {

// g <- g + rate * w
struct WeightDecayOp {
  static constexpr std::string_view kName = "WeightDecay";
  double rate;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T param, T& grad) const {
    grad += T(rate) * param;
  }
};

// g <- rate * g
struct ScaleGradientOp {
  static constexpr std::string_view kName = "GradientClipping";
  double rate;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T& grad) const {
    grad *= T(rate);
  }
};

// g <- *rate * g, where only the gradients' device knows the rate, so that the
// host need not wait for it.
struct ScaleGradientByOp {
  static constexpr std::string_view kName = "GradientClipping";
  const double* rate;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T& grad) const {
    grad *= T(*rate);
  }
};

// g <- g + rate * sign(w)
struct LassoOp {
  static constexpr std::string_view kName = "Lasso";
  double rate;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T param, T& grad) const {
    const T zero(0);
    grad += math::select(param > zero, T(rate),
                         math::select(param < zero, T(-rate), param * T(rate)));
  }
};

// g <- g clipped to [lower, upper]
struct ClampGradientOp {
  static constexpr std::string_view kName = "GradientHardClipping";
  double lower;
  double upper;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T& grad) const {
    grad = math::select(grad != grad, grad,
                        math::max(T(lower), math::min(grad, T(upper))));
  }
};

// g <- scale * (g + rate * w); scale is an array, so that the host need not
// wait for it.
struct LARSOp {
  static constexpr std::string_view kName = "GradientLARS";
  double rate;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T param, T scale, T& grad) const {
    grad = scale * (grad + T(rate) * param);
  }
};

}  // namespace catena::optimizers
