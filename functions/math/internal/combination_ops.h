#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_ops.h"
#include "catena/functions/engines/elementwise/rule.h"

// Sums of several arrays, with weights and without: their rules and functors.
namespace catena::functions {

// Sums of several arrays in one pass over memory.
struct Add3Op {
  static constexpr std::string_view kName = "add of three";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b, T c) const {
    return a + b + c;
  }
};
struct Add3 {
  static constexpr std::string_view kLabel = "add";
  using Forward = Add3Op;
  using Gradients = TypeList<PassesThrough, PassesThrough, PassesThrough>;
};
struct Add4Op {
  static constexpr std::string_view kName = "add of four";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T a, T b, T c, T d) const {
    return a + b + c + d;
  }
};
struct Add4 {
  static constexpr std::string_view kLabel = "add";
  using Forward = Add4Op;
  using Gradients =
      TypeList<PassesThrough, PassesThrough, PassesThrough, PassesThrough>;
};

// p x + (1 - p) y.
struct LinearInterpolateOp {
  static constexpr std::string_view kName = "linear_interpolate";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T p, T x, T y) const {
    return p * x + (T(1) - p) * y;
  }
};
struct InterpolatedWeightGradient {
  static constexpr std::string_view kName = "gradient of linear_interpolate";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T y, T gy) const {
    return gy * (x - y);
  }
};
struct InterpolatedSecondGradient {
  static constexpr std::string_view kName = "gradient of linear_interpolate";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T p, T gy) const {
    return gy * (T(1) - p);
  }
};
struct LinearInterpolate {
  static constexpr std::string_view kLabel = "linear_interpolate";
  static constexpr std::string_view kInputNames[] = {"p", "x", "y"};
  using Forward = LinearInterpolateOp;
  using Gradients =
      TypeList<On<InterpolatedWeightGradient, X1, X2>,
               On<array::MultiplyOp, X0>, On<InterpolatedSecondGradient, X0>>;
};

// Every rule above, for the kernels.
using CombinationRules = TypeList<Add3, Add4, LinearInterpolate>;

}  // namespace catena::functions
