#pragma once

#include <string_view>

#include "catena/array/math.h"

namespace catena::optimizers {

// m <- m + (1 - beta1) (g - m),  v <- v + (1 - beta2) (g^2 - v),
// w <- w - eta (alpha_t m / (sqrt(v) + eps) + weight_decay_rate w)
struct AdamOp {
  static constexpr std::string_view kName = "Adam";
  double alpha_t;  // alpha sqrt(1 - beta2^t) / (1 - beta1^t)
  double one_minus_beta1;
  double one_minus_beta2;
  double eps;
  double eta;
  double weight_decay_rate;
  template <class T>
  CATENA_HOST_DEVICE void update_moments(T grad, T& m, T& v) const {
    m += T(one_minus_beta1) * (grad - m);
    v += T(one_minus_beta2) * (grad * grad - v);
  }
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& param, T& m, T& v) const {
    update_moments(grad, m, v);
    param -= T(eta) * (T(alpha_t) * m / (math::sqrt(v) + T(eps)) +
                       T(weight_decay_rate) * param);
  }
};

// AdamOp with the step sizes alpha_t / (sqrt(v) + eps) clipped to [lower,
// upper].
struct AdaBoundOp {
  static constexpr std::string_view kName = "AdaBound";
  AdamOp adam;
  double lower;
  double upper;
  template <class T>
  CATENA_HOST_DEVICE T bounded_step(T v) const {
    const T step = T(adam.alpha_t) / (math::sqrt(v) + T(adam.eps));
    return math::max(T(lower), math::min(step, T(upper)));
  }
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& param, T& m, T& v) const {
    adam.update_moments(grad, m, v);
    param -=
        T(adam.eta) * (bounded_step(v) * m + T(adam.weight_decay_rate) * param);
  }
};

// AdamOp or AdaBoundOp with the maximum of all second moments, vhat <-
// max(vhat, v), in place of v. Without bounds, lower and upper are 0 and
// infinity.
struct AMSBoundOp {
  static constexpr std::string_view kName = "AMSGrad";
  AdaBoundOp bound;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& param, T& m, T& v,
                                     T& vhat) const {
    const AdamOp& adam = bound.adam;
    adam.update_moments(grad, m, v);
    vhat = math::max(vhat, v);
    param -= T(adam.eta) *
             (bound.bounded_step(vhat) * m + T(adam.weight_decay_rate) * param);
  }
};

}  // namespace catena::optimizers
