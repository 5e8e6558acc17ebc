#pragma once

#include <cmath>
#include <string_view>

#include "catena/array/kernels/math.h"

// Updates whose step sizes adapt to the magnitude of each element's gradients.
namespace catena::optimizers {

// h <- h + g^2,  w <- w - lr g / (sqrt(h) + eps)
struct AdaGradOp {
  static constexpr std::string_view kName = "AdaGrad";
  double lr;
  double eps;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& param, T& h) const {
    h += grad * grad;
    param -= T(lr) * grad / (math::sqrt(h) + T(eps));
  }
};

// msg <- rho msg + (1 - rho) g^2,  d = sqrt((msdx + eps) / (msg + eps)) g,
// msdx <- rho msdx + (1 - rho) d^2,  w <- w - d
struct AdaDeltaOp {
  static constexpr std::string_view kName = "AdaDelta";
  double rho;
  double one_minus_rho;
  double eps;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& param, T& msg, T& msdx) const {
    msg = T(rho) * msg + T(one_minus_rho) * grad * grad;
    const T step = math::sqrt((msdx + T(eps)) / (msg + T(eps))) * grad;
    msdx = T(rho) * msdx + T(one_minus_rho) * step * step;
    param -= step;
  }
};

// ms <- alpha ms + (1 - alpha) g^2,
// w <- w - lr g / (sqrt(ms + eps_inside) + eps_outside)
struct RMSpropOp {
  static constexpr std::string_view kName = "RMSprop";
  double lr;
  double alpha;
  double one_minus_alpha;
  double eps_inside;
  double eps_outside;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& param, T& ms) const {
    ms = T(alpha) * ms + T(one_minus_alpha) * grad * grad;
    param -= T(lr) * grad / (math::sqrt(ms + T(eps_inside)) + T(eps_outside));
  }
};

// n <- alpha n + (1 - alpha) g^2,  a <- alpha a + (1 - alpha) g,
// delta <- momentum delta - lr g / sqrt(n - a^2 + eps),  w <- w + delta
struct RMSpropGravesOp {
  static constexpr std::string_view kName = "RMSpropGraves";
  double lr;
  double alpha;
  double one_minus_alpha;
  double momentum;
  double eps;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& param, T& n, T& a,
                                     T& delta) const {
    n = T(alpha) * n + T(one_minus_alpha) * grad * grad;
    a = T(alpha) * a + T(one_minus_alpha) * grad;
    delta = T(momentum) * delta - T(lr) * grad / math::sqrt(n - a * a + T(eps));
    param += delta;
  }
};

// r = 1 / (mem + 1),  a <- (1 - r) a + r g,  b <- (1 - r) b + r g^2,
// x = a^2 / (b + eps),  w <- w - min(lr, x) g / (sqrt(b) + eps),
// mem <- 1 + mem (1 - x)
struct SMORMS3Op {
  static constexpr std::string_view kName = "SMORMS3";
  double lr;
  double eps;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& param, T& mem, T& a,
                                     T& b) const {
    const T r = T(1) / (mem + T(1));
    a = (T(1) - r) * a + r * grad;
    b = (T(1) - r) * b + r * grad * grad;
    const T x = a * a / (b + T(eps));
    param -= grad * math::min(T(lr), x) / (math::sqrt(b) + T(eps));
    mem = T(1) + mem * (T(1) - x);
  }
};

// m <- m + (1 - beta) (g - m),  v <- v + (1 - beta) (g^2 - v); from their
// unbiased values M and V: s = (V - M^2) / (1 - rho),
// f = M^2 / (M^2 + rho s), 1 where that is 0 / 0,
// w <- w - eta (lr f M + weight_decay_rate w)
struct MSVAGOp {
  static constexpr std::string_view kName = "MSVAG";
  double lr;
  double one_minus_beta;
  double unbias;  // 1 / (1 - beta^t)
  double rho;
  double eta;
  double weight_decay_rate;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& param, T& m, T& v) const {
    m += T(one_minus_beta) * (grad - m);
    v += T(one_minus_beta) * (grad * grad - v);
    const T mean = m * T(unbias);
    const T square = mean * mean;
    const T variance = (v * T(unbias) - square) / T(1 - rho);
    const T share = square / (square + T(rho) * variance);
    const T factor = math::select(share != share, T(1),
                                  math::max(T(0), math::min(share, T(1))));
    param -= T(eta) * (T(lr) * factor * mean + T(weight_decay_rate) * param);
  }
};

// MSVAGOp of step t.
struct MSVAGStep {
  using Functor = MSVAGOp;
  double lr;
  double beta;
  double eta;
  double weight_decay_rate;
  double t;
  CATENA_HOST_DEVICE MSVAGOp functor(double step) const {
    const double power = std::pow(beta, step);
    // In the first step it would be 1, making the variance 0 / 0.
    const double rho = step == 1 ? 0.0
                                 : (1.0 - beta) * (1.0 + power) /
                                       ((1.0 + beta) * (1.0 - power));
    return {lr, 1.0 - beta, 1.0 / (1.0 - power), rho, eta, weight_decay_rate};
  }
};

}  // namespace catena::optimizers
