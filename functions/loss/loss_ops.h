#pragma once

#include <string_view>

#include "catena/array/dtype.h"
#include "catena/array/math.h"
#include "catena/functions/elementwise/rule.h"
#include "catena/functions/loss/logistic.h"

// The rules of losses that are elementwise before they are reduced. To add one:
// its functors and rule here, and its name in the list at the end.
namespace catena::functions {

struct AbsoluteErrorOp {
  static constexpr std::string_view kName = "absolute_error";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x0, T x1) const {
    return math::abs(x0 - x1);
  }
};
struct AbsoluteErrorFirstGradient {
  static constexpr std::string_view kName = "gradient of absolute_error";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x0, T x1, T gy) const {
    return math::select(x0 > x1, gy, math::select(x0 < x1, -gy, T(0)));
  }
};
struct AbsoluteErrorSecondGradient {
  static constexpr std::string_view kName = "gradient of absolute_error";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x0, T x1, T gy) const {
    return AbsoluteErrorFirstGradient()(x1, x0, gy);
  }
};
struct AbsoluteError {
  static constexpr std::string_view kLabel = "absolute_error";
  using Forward = AbsoluteErrorOp;
  using Gradients = TypeList<On<AbsoluteErrorFirstGradient, X0, X1>,
                             On<AbsoluteErrorSecondGradient, X0, X1>>;
};

struct HuberLossParams {
  double delta;
};
struct HuberLossOp : HuberLossParams {
  static constexpr std::string_view kName = "huber_loss";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T t) const {
    const T a = math::abs(x - t);
    const T d(delta);
    return math::select(a <= d, a * a * T(0.5), d * (a - T(0.5 * delta)));
  }
};
// The difference held to [-delta, delta].
struct HuberLossFirstGradient : HuberLossParams {
  static constexpr std::string_view kName = "gradient of huber_loss";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T t, T gy) const {
    const T a = x - t;
    const T d(delta);
    return math::select(a > d, d, math::select(a < -d, -d, a)) * gy;
  }
};
struct HuberLossSecondGradient : HuberLossParams {
  static constexpr std::string_view kName = "gradient of huber_loss";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T t, T gy) const {
    return HuberLossFirstGradient{{delta}}(t, x, gy);
  }
};
struct HuberLoss {
  static constexpr std::string_view kLabel = "huber_loss";
  static constexpr std::string_view kInputNames[] = {"x", "t"};
  using Params = HuberLossParams;
  using Forward = HuberLossOp;
  using Gradients = TypeList<On<HuberLossFirstGradient, X0, X1>,
                             On<HuberLossSecondGradient, X0, X1>>;
};

// -log of the probability of x under Bernoulli(sigmoid(y)).
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

// -log of the density of x under N(mean, exp(ln_var)).
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

// The divergence of N(mean, exp(ln_var)) from N(0, 1).
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

// Of a squared distance d2, and t, which is 1 for a pair that belongs together
// and 0 for another.
struct ContrastiveParams {
  double margin;
};
struct ContrastiveOp : ContrastiveParams {
  static constexpr std::string_view kName = "contrastive";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T d2, T t) const {
    const T missing = T(margin) - math::sqrt(d2);
    const T m = math::select(missing > T(0), missing, T(0));
    return (t * d2 + (T(1) - t) * m * m) * T(0.5);
  }
};
struct ContrastiveGradient : ContrastiveParams {
  static constexpr std::string_view kName = "gradient of contrastive";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T d2, T t, T gy) const {
    // It is multiplied by the difference, so at 0 any finite number will do.
    constexpr double kTiny = 1e-8;
    const T d = math::sqrt(math::select(d2 > T(kTiny), d2, T(kTiny)));
    const T missing = T(margin) - d;
    const T m = math::select(missing > T(0), missing, T(0));
    return (t - (T(1) - t) * m / d) * T(0.5) * gy;
  }
};
struct Contrastive {
  static constexpr std::string_view kLabel = "contrastive";
  static constexpr std::string_view kInputNames[] = {"d2", "y"};
  using Params = ContrastiveParams;
  using Forward = ContrastiveOp;
  using Gradients = TypeList<On<ContrastiveGradient, X0, X1>, Stops>;
};

// -log sigmoid(sign y): the loss of a yes (sign 1) or no (-1) with logit y. No
// loss where sign is 0.
struct LogitLossOp {
  static constexpr std::string_view kName = "logit_loss";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y, T sign) const {
    return math::select(sign == T(0), T(0), log_one_plus_exp(-(y * sign)));
  }
};
struct LogitLossGradient {
  static constexpr std::string_view kName = "gradient of logit_loss";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y, T sign, T gy) const {
    return -(sign * logistic(-(y * sign)) * gy);
  }
};
struct LogitLoss {
  static constexpr std::string_view kLabel = "logit_loss";
  static constexpr std::string_view kInputNames[] = {"y", "sign"};
  using Forward = LogitLossOp;
  using Gradients = TypeList<On<LogitLossGradient, X0, X1>, Stops>;
};

// Every rule above, for the kernels.
using LossRules = TypeList<AbsoluteError, HuberLoss, BernoulliNll, GaussianNll,
                           GaussianKlDivergence, Contrastive, LogitLoss>;

}  // namespace catena::functions
