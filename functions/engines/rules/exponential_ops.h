#pragma once

#include <string_view>

#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_float_ops.h"
#include "catena/array/kernels/ufunc_ops.h"
#include "catena/functions/engines/elementwise/rule.h"
#include "catena/functions/engines/rules/arithmetic_ops.h"

// Exponentials, logarithms and roots: rules, and functors that are not ufuncs.
// To add a function, add its functors and rule here, its name to the list at
// the end, and a header.
namespace catena::functions {

struct Exp {
  static constexpr std::string_view kLabel = "exp";
  using Forward = array::ExpOp;
  using Gradients = TypeList<On<array::MultiplyOp, Y>>;
};

struct Log {
  static constexpr std::string_view kLabel = "log";
  using Forward = array::LogOp;
  using Gradients = TypeList<On<NumeratorGradient, X0>>;
};

struct Log1pGradient {
  static constexpr std::string_view kName = "gradient of log1p";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy / (x + T(1));
  }
};
struct Log1p {
  static constexpr std::string_view kLabel = "log1p";
  using Forward = array::Log1pOp;
  using Gradients = TypeList<On<Log1pGradient, X0>>;
};

struct SqrtGradient {
  static constexpr std::string_view kName = "gradient of sqrt";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y, T gy) const {
    return gy / (y * T(2));
  }
};
struct Sqrt {
  static constexpr std::string_view kLabel = "sqrt";
  using Forward = array::SqrtOp;
  using Gradients = TypeList<On<SqrtGradient, Y>>;
};

struct SquareGradient {
  static constexpr std::string_view kName = "gradient of square";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy * x * T(2);
  }
};
struct Square {
  static constexpr std::string_view kLabel = "square";
  using Forward = array::SquareOp;
  using Gradients = TypeList<On<SquareGradient, X0>>;
};

struct Expm1Gradient {
  static constexpr std::string_view kName = "gradient of expm1";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y, T gy) const {
    return gy * (y + T(1));
  }
};
struct Expm1 {
  static constexpr std::string_view kLabel = "expm1";
  using Forward = array::Expm1Op;
  using Gradients = TypeList<On<Expm1Gradient, Y>>;
};

struct Log2Gradient {
  static constexpr std::string_view kName = "gradient of log2";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy / (x * T(0.6931471805599453));
  }
};
struct Log2 {
  static constexpr std::string_view kLabel = "log2";
  using Forward = array::Log2Op;
  using Gradients = TypeList<On<Log2Gradient, X0>>;
};

struct Log10Gradient {
  static constexpr std::string_view kName = "gradient of log10";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy / (x * T(2.302585092994046));
  }
};
struct Log10 {
  static constexpr std::string_view kLabel = "log10";
  using Forward = array::Log10Op;
  using Gradients = TypeList<On<Log10Gradient, X0>>;
};

// 1 / sqrt(x).
struct RsqrtOp {
  static constexpr std::string_view kName = "rsqrt";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return T(1) / math::sqrt(x);
  }
};
struct RsqrtGradient {
  static constexpr std::string_view kName = "gradient of rsqrt";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y, T gy) const {
    return gy * y * y * y * T(-0.5);
  }
};
struct Rsqrt {
  static constexpr std::string_view kLabel = "rsqrt";
  using Forward = RsqrtOp;
  using Gradients = TypeList<On<RsqrtGradient, Y>>;
};

// Every rule above, for the kernels.
using ExponentialRules =
    TypeList<Exp, Log, Log1p, Sqrt, Square, Expm1, Log2, Log10, Rsqrt>;

}  // namespace catena::functions
