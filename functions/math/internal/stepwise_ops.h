#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/array/kernels/ufunc_ops.h"
#include "catena/functions/engines/elementwise/rule.h"

// Functions with steps or kinks other than activations: rules, and functors
// that are not ufuncs.
namespace catena::functions {

// x clipped to [x_min, x_max]; the gradient passes at the limits.
struct ClipParams {
  double x_min;
  double x_max;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("x_min", x_min);
    visit("x_max", x_max);
  }
};
struct ClipNumbersOp : ClipParams {
  static constexpr std::string_view kName = "clip to numbers";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return array::ClipOp()(x, T(x_min), T(x_max));
  }
};
struct ClipNumbersGradient : ClipParams {
  static constexpr std::string_view kName = "gradient of clip";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T gy) const {
    return math::select(x >= T(x_min) && x <= T(x_max), gy, T(0));
  }
};
struct Clip {
  static constexpr std::string_view kLabel = "clip";
  using Params = ClipParams;
  using Forward = ClipNumbersOp;
  using Gradients = TypeList<On<ClipNumbersGradient, X0>>;
};

// The remainder of x / divisor, with x's sign.
struct FmodDivisorGradient {
  static constexpr std::string_view kName = "gradient of fmod";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T divisor, T gy) const {
    return -gy * math::trunc(x / divisor);
  }
};
struct Fmod {
  static constexpr std::string_view kLabel = "fmod";
  static constexpr std::string_view kInputNames[] = {"x", "divisor"};
  using Forward = array::FmodOp;
  using Gradients = TypeList<PassesThrough, On<FmodDivisorGradient, X0, X1>>;
};

// Every rule above, for the kernels.
using StepwiseRules = TypeList<Clip, Fmod>;

}  // namespace catena::functions
