#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/functions/engines/elementwise/rule.h"
#include "catena/functions/loss/internal/logistic.h"

// The rules of losses that are elementwise before reduction; vae.h's are in
// vae_ops.h. To add one, add its functors and rule here, and its name to the
// list at the end.
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

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("delta", delta);
  }
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
// The difference clipped to [-delta, delta].
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

// Inputs: a squared distance d2, and t, which is 1 for a matching pair, else 0.
struct ContrastiveParams {
  double margin;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("margin", margin);
  }
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
    // The result is multiplied by the difference, so at 0 any finite value will
    // do.
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
  using Gradients = TypeList<On<ContrastiveGradient, X0, X1>, NoGradient>;
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
  using Gradients = TypeList<On<LogitLossGradient, X0, X1>, NoGradient>;
};

// Every rule above, for the kernels.
using LossRules = TypeList<AbsoluteError, HuberLoss, Contrastive, LogitLoss>;

}  // namespace catena::functions
