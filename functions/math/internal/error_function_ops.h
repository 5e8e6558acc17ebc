#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/functions/engines/elementwise/rule.h"
#include "catena/functions/math/internal/error_function_math.h"

// The error function, the normal distribution function and related functions:
// rules and functors.
namespace catena::functions {

struct ErfOp {
  static constexpr std::string_view kName = "erf";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return erf_of(x);
  }
};
struct ErfGradient {
  static constexpr std::string_view kName = "gradient of erf";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy * math::exp(-(x * x)) * T(1.1283791670955126);
  }
};
struct Erf {
  static constexpr std::string_view kLabel = "erf";
  using Forward = ErfOp;
  using Gradients = TypeList<On<ErfGradient, X0>>;
};

struct ErfcOp {
  static constexpr std::string_view kName = "erfc";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return erfc_of(x);
  }
};
struct ErfcGradient {
  static constexpr std::string_view kName = "gradient of erfc";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy * math::exp(-(x * x)) * T(-1.1283791670955126);
  }
};
struct Erfc {
  static constexpr std::string_view kLabel = "erfc";
  using Forward = ErfcOp;
  using Gradients = TypeList<On<ErfcGradient, X0>>;
};

// 2 x y - 2 / sqrt(pi) would cancel completely for large x.
struct ErfcxOp {
  static constexpr std::string_view kName = "erfcx";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return erfcx_of(x);
  }
};
struct ErfcxGradient {
  static constexpr std::string_view kName = "gradient of erfcx";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T y, T gy) const {
    const T near = x * y * T(2) - T(1.1283791670955126);
    if constexpr (requires { lanes_erfcx(x); }) {
      return gy * near;  // recorded
    } else {
      // The asymptotic series in 1 / (2 x^2).
      const T u = T(0.5) / (x * x);
      constexpr double kC[] = {1, -3, 15, -105, 945, -10395};
      const T far = u * internal::polynomial(u, kC) * T(-1.1283791670955126);
      const double limit = internal::kIsSingle<T> ? 10 : 50;
      return gy * math::select(x > T(limit), far, near);
    }
  }
};
struct Erfcx {
  static constexpr std::string_view kLabel = "erfcx";
  using Forward = ErfcxOp;
  using Gradients = TypeList<On<ErfcxGradient, X0, Y>>;
};

struct NdtrOp {
  static constexpr std::string_view kName = "ndtr";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return ndtr_of(x);
  }
};
struct NdtrGradient {
  static constexpr std::string_view kName = "gradient of ndtr";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy * math::exp(x * x * T(-0.5)) * T(0.3989422804014327);
  }
};
struct Ndtr {
  static constexpr std::string_view kLabel = "ndtr";
  using Forward = NdtrOp;
  using Gradients = TypeList<On<NdtrGradient, X0>>;
};

struct LogNdtrOp {
  static constexpr std::string_view kName = "log_ndtr";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return log_ndtr_of(x);
  }
};
// The density divided by the cumulative distribution function, which both
// underflow to 0 far to the left.
struct LogNdtrGradient {
  static constexpr std::string_view kName = "gradient of log_ndtr";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T y, T gy) const {
    const T held = math::select(x < T(0), x, T(0));
    const T left =
        T(0.7978845608028654) / erfcx_of(held * T(-0.7071067811865476));
    const T right = math::exp(x * x * T(-0.5) - y) * T(0.3989422804014327);
    return gy * math::select(x < T(0), left, right);
  }
};
struct LogNdtr {
  static constexpr std::string_view kLabel = "log_ndtr";
  using Forward = LogNdtrOp;
  using Gradients = TypeList<On<LogNdtrGradient, X0, Y>>;
};

// Every rule above, for the kernels.
using ErrorFunctionRules = TypeList<Erf, Erfc, Erfcx, Ndtr, LogNdtr>;

}  // namespace catena::functions
