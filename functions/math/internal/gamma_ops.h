#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/functions/engines/elementwise/rule.h"
#include "catena/functions/math/internal/gamma_math.h"

// Functions related to the gamma function: rules and functors.
namespace catena::functions {

struct LgammaOp {
  static constexpr std::string_view kName = "lgamma";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return log_gamma(x);
  }
};
struct LgammaGradient {
  static constexpr std::string_view kName = "gradient of lgamma";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy * digamma_of(x);
  }
};
struct Lgamma {
  static constexpr std::string_view kLabel = "lgamma";
  using Forward = LgammaOp;
  using Gradients = TypeList<On<LgammaGradient, X0>>;
};

struct DigammaOp {
  static constexpr std::string_view kName = "digamma";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return digamma_of(x);
  }
};
struct DigammaGradient {
  static constexpr std::string_view kName = "gradient of digamma";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy * polygamma_of(T(1), x);
  }
};
struct Digamma {
  static constexpr std::string_view kLabel = "digamma";
  using Forward = DigammaOp;
  using Gradients = TypeList<On<DigammaGradient, X0>>;
};

// The n-th derivative of digamma; n gets no gradient.
struct PolygammaOp {
  static constexpr std::string_view kName = "polygamma";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T n, T x) const {
    return polygamma_of(n, x);
  }
};
struct PolygammaGradient {
  static constexpr std::string_view kName = "gradient of polygamma";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T n, T x, T gy) const {
    return gy * polygamma_of(n + T(1), x);
  }
};
struct Polygamma {
  static constexpr std::string_view kLabel = "polygamma";
  static constexpr std::string_view kInputNames[] = {"n", "x"};
  using Forward = PolygammaOp;
  using Gradients = TypeList<NoGradient, On<PolygammaGradient, X0, X1>>;
};

// polygamma with a single n.
struct PolygammaOrder {
  double n;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("n", n);
  }
};
struct PolygammaOfOrderOp : PolygammaOrder {
  static constexpr std::string_view kName = "polygamma of a number";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return polygamma_of(T(n), x);
  }
};
struct PolygammaOfOrderGradient : PolygammaOrder {
  static constexpr std::string_view kName = "gradient of polygamma of a number";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy * polygamma_of(T(n + 1), x);
  }
};
struct PolygammaOfOrder {
  static constexpr std::string_view kLabel = "polygamma";
  using Params = PolygammaOrder;
  using Forward = PolygammaOfOrderOp;
  using Gradients = TypeList<On<PolygammaOfOrderGradient, X0>>;
};

// The sum of (q + k)^-x; x gets no gradient.
struct ZetaOp {
  static constexpr std::string_view kName = "zeta";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T q) const {
    return zeta_of(x, q);
  }
};
struct ZetaGradient {
  static constexpr std::string_view kName = "gradient of zeta";
  static constexpr bool kScalarOnly = true;
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T q, T gy) const {
    const T fixed = constant_of(x);
    return -gy * fixed * zeta_of(fixed + T(1), q);
  }
};
struct Zeta {
  static constexpr std::string_view kLabel = "zeta";
  static constexpr std::string_view kInputNames[] = {"x", "q"};
  using Forward = ZetaOp;
  using Gradients = TypeList<NoGradient, On<ZetaGradient, X0, X1>>;
};

// Every rule above, for the kernels.
using GammaRules = TypeList<Lgamma, Digamma, Polygamma, PolygammaOfOrder, Zeta>;

}  // namespace catena::functions
