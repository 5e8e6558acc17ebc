#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_float_ops.h"
#include "catena/array/kernels/ufunc_ops.h"
#include "catena/functions/engines/elementwise/rule.h"

// Trigonometric functions and their inverses: rules, and functors that are not
// ufuncs.
namespace catena::functions {

struct SinGradient {
  static constexpr std::string_view kName = "gradient of sin";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy * math::cos(x);
  }
};
struct Sin {
  static constexpr std::string_view kLabel = "sin";
  using Forward = array::SinOp;
  using Gradients = TypeList<On<SinGradient, X0>>;
};

struct CosGradient {
  static constexpr std::string_view kName = "gradient of cos";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return -gy * math::sin(x);
  }
};
struct Cos {
  static constexpr std::string_view kLabel = "cos";
  using Forward = array::CosOp;
  using Gradients = TypeList<On<CosGradient, X0>>;
};

struct TanGradient {
  static constexpr std::string_view kName = "gradient of tan";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y, T gy) const {
    return gy * (y * y + T(1));
  }
};
struct Tan {
  static constexpr std::string_view kLabel = "tan";
  using Forward = array::TanOp;
  using Gradients = TypeList<On<TanGradient, Y>>;
};

struct ArcsinGradient {
  static constexpr std::string_view kName = "gradient of arcsin";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy / math::sqrt(T(1) - x * x);
  }
};
struct Arcsin {
  static constexpr std::string_view kLabel = "arcsin";
  using Forward = array::ArcsinOp;
  using Gradients = TypeList<On<ArcsinGradient, X0>>;
};

struct ArccosGradient {
  static constexpr std::string_view kName = "gradient of arccos";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return -gy / math::sqrt(T(1) - x * x);
  }
};
struct Arccos {
  static constexpr std::string_view kLabel = "arccos";
  using Forward = array::ArccosOp;
  using Gradients = TypeList<On<ArccosGradient, X0>>;
};

struct ArctanGradient {
  static constexpr std::string_view kName = "gradient of arctan";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return gy / (x * x + T(1));
  }
};
struct Arctan {
  static constexpr std::string_view kLabel = "arctan";
  using Forward = array::ArctanOp;
  using Gradients = TypeList<On<ArctanGradient, X0>>;
};

// y is the angle of the point (x2, x1).
struct Arctan2FirstGradient {
  static constexpr std::string_view kName = "gradient of arctan2";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x1, T x2, T gy) const {
    return gy * x2 / (x1 * x1 + x2 * x2);
  }
};
struct Arctan2SecondGradient {
  static constexpr std::string_view kName = "gradient of arctan2";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x1, T x2, T gy) const {
    return -gy * x1 / (x1 * x1 + x2 * x2);
  }
};
struct Arctan2 {
  static constexpr std::string_view kLabel = "arctan2";
  static constexpr std::string_view kInputNames[] = {"x1", "x2"};
  using Forward = array::Arctan2Op;
  using Gradients = TypeList<On<Arctan2FirstGradient, X0, X1>,
                             On<Arctan2SecondGradient, X0, X1>>;
};

// Every rule above, for the kernels.
using TrigonometricRules =
    TypeList<Sin, Cos, Tan, Arcsin, Arccos, Arctan, Arctan2>;

}  // namespace catena::functions
