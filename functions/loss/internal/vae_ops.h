#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/functions/engines/elementwise/rule.h"
#include "catena/functions/loss/internal/logistic.h"

// The rules of vae.h.
namespace catena::functions {

// The negative log-likelihood of x under Bernoulli(sigmoid(y)).
struct BernoulliNllOp {
  static constexpr std::string_view kName = "bernoulli_nll";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T y) const {
    return log_one_plus_exp(y) - x * y;
  }
};
struct BernoulliNllSampleGradient {
  static constexpr std::string_view kName = "gradient of bernoulli_nll";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y, T gy) const {
    return -(y * gy);
  }
};
struct BernoulliNllLogitGradient {
  static constexpr std::string_view kName = "gradient of bernoulli_nll";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T y, T gy) const {
    return (logistic(y) - x) * gy;
  }
};
struct BernoulliNll {
  static constexpr std::string_view kLabel = "bernoulli_nll";
  static constexpr std::string_view kInputNames[] = {"x", "y"};
  using Forward = BernoulliNllOp;
  using Gradients = TypeList<On<BernoulliNllSampleGradient, X1>,
                             On<BernoulliNllLogitGradient, X0, X1>>;
};

// The negative log-likelihood of x under N(mean, exp(ln_var)).
struct GaussianNllOp {
  static constexpr std::string_view kName = "gaussian_nll";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T mean, T ln_var) const {
    constexpr double kLogTwoPi = 1.8378770664093453;
    const T d = x - mean;
    return (ln_var + d * d * math::exp(-ln_var) + T(kLogTwoPi)) * T(0.5);
  }
};
struct GaussianNllSampleGradient {
  static constexpr std::string_view kName = "gradient of gaussian_nll";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T mean, T ln_var, T gy) const {
    return (x - mean) * math::exp(-ln_var) * gy;
  }
};
struct GaussianNllMeanGradient {
  static constexpr std::string_view kName = "gradient of gaussian_nll";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T mean, T ln_var, T gy) const {
    return (mean - x) * math::exp(-ln_var) * gy;
  }
};
struct GaussianNllVarianceGradient {
  static constexpr std::string_view kName = "gradient of gaussian_nll";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T mean, T ln_var, T gy) const {
    const T d = x - mean;
    return (T(1) - d * d * math::exp(-ln_var)) * T(0.5) * gy;
  }
};
struct GaussianNll {
  static constexpr std::string_view kLabel = "gaussian_nll";
  static constexpr std::string_view kInputNames[] = {"x", "mean", "ln_var"};
  using Forward = GaussianNllOp;
  using Gradients = TypeList<On<GaussianNllSampleGradient, X0, X1, X2>,
                             On<GaussianNllMeanGradient, X0, X1, X2>,
                             On<GaussianNllVarianceGradient, X0, X1, X2>>;
};

// The Kullback-Leibler divergence of N(mean, exp(ln_var)) from N(0, 1).
struct GaussianKlDivergenceOp {
  static constexpr std::string_view kName = "gaussian_kl_divergence";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T mean, T ln_var) const {
    return (mean * mean + math::exp(ln_var) - ln_var - T(1)) * T(0.5);
  }
};
struct GaussianKlDivergenceMeanGradient {
  static constexpr std::string_view kName =
      "gradient of gaussian_kl_divergence";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T mean, T gy) const {
    return mean * gy;
  }
};
struct GaussianKlDivergenceVarianceGradient {
  static constexpr std::string_view kName =
      "gradient of gaussian_kl_divergence";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T ln_var, T gy) const {
    return (math::exp(ln_var) - T(1)) * T(0.5) * gy;
  }
};
struct GaussianKlDivergence {
  static constexpr std::string_view kLabel = "gaussian_kl_divergence";
  static constexpr std::string_view kInputNames[] = {"mean", "ln_var"};
  using Forward = GaussianKlDivergenceOp;
  using Gradients = TypeList<On<GaussianKlDivergenceMeanGradient, X0>,
                             On<GaussianKlDivergenceVarianceGradient, X1>>;
};

// Every rule above, for the kernels.
using VaeRules = TypeList<BernoulliNll, GaussianNll, GaussianKlDivergence>;

}  // namespace catena::functions
