#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_ops.h"
#include "catena/functions/engines/elementwise/rule.h"

// Rules of functions that compare two arrays elementwise.
namespace catena::functions {

// The gradient goes to one of the two; on ties to the first, as in Chainer.
struct LargerFirstGradient {
  static constexpr std::string_view kName = "gradient of maximum";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x0, T x1, T gy) const {
    return math::select(x0 >= x1, gy, T(0));
  }
};
struct LargerSecondGradient {
  static constexpr std::string_view kName = "gradient of maximum";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x0, T x1, T gy) const {
    return math::select(x0 >= x1, T(0), gy);
  }
};
struct Maximum {
  static constexpr std::string_view kLabel = "maximum";
  static constexpr std::string_view kInputNames[] = {"x1", "x2"};
  using Forward = array::MaximumOp;
  using Gradients = TypeList<On<LargerFirstGradient, X0, X1>,
                             On<LargerSecondGradient, X0, X1>>;
};

struct SmallerFirstGradient {
  static constexpr std::string_view kName = "gradient of minimum";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x0, T x1, T gy) const {
    return math::select(x0 <= x1, gy, T(0));
  }
};
struct SmallerSecondGradient {
  static constexpr std::string_view kName = "gradient of minimum";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x0, T x1, T gy) const {
    return math::select(x0 <= x1, T(0), gy);
  }
};
struct Minimum {
  static constexpr std::string_view kLabel = "minimum";
  static constexpr std::string_view kInputNames[] = {"x1", "x2"};
  using Forward = array::MinimumOp;
  using Gradients = TypeList<On<SmallerFirstGradient, X0, X1>,
                             On<SmallerSecondGradient, X0, X1>>;
};

struct SquaredDifferenceOp {
  static constexpr std::string_view kName = "squared_difference";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x0, T x1) const {
    return (x0 - x1) * (x0 - x1);
  }
};
struct SquaredDifferenceFirstGradient {
  static constexpr std::string_view kName = "gradient of squared_difference";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x0, T x1, T gy) const {
    return (x0 - x1) * T(2) * gy;
  }
};
struct SquaredDifferenceSecondGradient {
  static constexpr std::string_view kName = "gradient of squared_difference";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x0, T x1, T gy) const {
    return (x1 - x0) * T(2) * gy;
  }
};
struct SquaredDifference {
  static constexpr std::string_view kLabel = "squared_difference";
  using Forward = SquaredDifferenceOp;
  using Gradients = TypeList<On<SquaredDifferenceFirstGradient, X0, X1>,
                             On<SquaredDifferenceSecondGradient, X0, X1>>;
};

// Every rule above, for the kernels.
using DifferenceRules = TypeList<Maximum, Minimum, SquaredDifference>;

}  // namespace catena::functions
