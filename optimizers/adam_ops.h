#pragma once

#include <cmath>
#include <limits>
#include <string_view>

#include "catena/array/kernels/math.h"

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

// alpha sqrt(1 - beta2^t) / (1 - beta1^t)
CATENA_HOST_DEVICE double adam_step_size(double alpha, double beta1,
                                         double beta2, double t) {
  return alpha * std::sqrt(1.0 - std::pow(beta2, t)) /
         (1.0 - std::pow(beta1, t));
}

// AdamOp of step t.
struct AdamStep {
  using Functor = AdamOp;
  double alpha;
  double beta1;
  double beta2;
  double eps;
  double eta;
  double weight_decay_rate;
  double t;
  CATENA_HOST_DEVICE AdamOp functor(double step) const {
    return {adam_step_size(alpha, beta1, beta2, step),
            1.0 - beta1,
            1.0 - beta2,
            eps,
            eta,
            weight_decay_rate};
  }
};

// AdamW's step: moments as AdamOp's, and with both without bias
// w <- kept w - step_size m / (sqrt(v) root_scale + eps)
struct AdamWOp {
  static constexpr std::string_view kName = "AdamW";
  double step_size;  // lr / (1 - beta1^t)
  double one_minus_beta1;
  double one_minus_beta2;
  double root_scale;  // 1 / sqrt(1 - beta2^t)
  double eps;
  double kept;  // 1 - lr weight_decay
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& param, T& m, T& v) const {
    m += T(one_minus_beta1) * (grad - m);
    v += T(one_minus_beta2) * (grad * grad - v);
    param = T(kept) * param -
            T(step_size) * m / (math::sqrt(v) * T(root_scale) + T(eps));
  }
};

// AdamWOp of step t.
struct AdamWStep {
  using Functor = AdamWOp;
  double lr;
  double beta1;
  double beta2;
  double eps;
  double weight_decay;
  double t;
  CATENA_HOST_DEVICE AdamWOp functor(double step) const {
    return {lr / (1.0 - std::pow(beta1, step)),
            1.0 - beta1,
            1.0 - beta2,
            1.0 / std::sqrt(1.0 - std::pow(beta2, step)),
            eps,
            1.0 - lr * weight_decay};
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

// AdaBoundOp of step t, whose bounds converge to final_lr; 0 and infinity
// without bounds.
struct AdaBoundStep {
  using Functor = AdaBoundOp;
  AdamStep adam;
  bool has_bounds;
  double final_lr;
  double gamma;
  double t;
  CATENA_HOST_DEVICE AdaBoundOp functor(double step) const {
    if (!has_bounds) {
      return {adam.functor(step), 0, std::numeric_limits<double>::infinity()};
    }
    return {adam.functor(step), final_lr * (1.0 - 1.0 / (gamma * step + 1.0)),
            final_lr * (1.0 + 1.0 / (gamma * step))};
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

// AMSBoundOp of step t.
struct AMSBoundStep {
  using Functor = AMSBoundOp;
  AdaBoundStep bound;
  double t;
  CATENA_HOST_DEVICE AMSBoundOp functor(double step) const {
    return {bound.functor(step)};
  }
};

}  // namespace catena::optimizers
