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
  CATENA_HOST_DEVICE void operator()(T grad, T& param, T& m, T& v) const {
    m += T(one_minus_beta1) * (grad - m);
    v += T(one_minus_beta2) * (grad * grad - v);
    param -= T(eta) * (T(alpha_t) * m / (math::sqrt(v) + T(eps)) +
                       T(weight_decay_rate) * param);
  }
};

}  // namespace catena::optimizers
