#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/functions/engines/elementwise/rule.h"
#include "catena/functions/math/internal/error_function_math.h"

// The inverses of the error function and related functions: rules and functors.
namespace catena::functions {

struct ErfinvOp {
  static constexpr std::string_view kName = "erfinv";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return erfinv_of(x);
  }
};
struct ErfinvGradient {
  static constexpr std::string_view kName = "gradient of erfinv";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y, T gy) const {
    return gy * math::exp(y * y) * T(0.8862269254527580);
  }
};
struct Erfinv {
  static constexpr std::string_view kLabel = "erfinv";
  using Forward = ErfinvOp;
  using Gradients = TypeList<On<ErfinvGradient, Y>>;
};

struct ErfcinvOp {
  static constexpr std::string_view kName = "erfcinv";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return erfcinv_of(x);
  }
};
struct ErfcinvGradient {
  static constexpr std::string_view kName = "gradient of erfcinv";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y, T gy) const {
    return gy * math::exp(y * y) * T(-0.8862269254527580);
  }
};
struct Erfcinv {
  static constexpr std::string_view kLabel = "erfcinv";
  using Forward = ErfcinvOp;
  using Gradients = TypeList<On<ErfcinvGradient, Y>>;
};

struct NdtriOp {
  static constexpr std::string_view kName = "ndtri";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x) const {
    return ndtri_of(x);
  }
};
struct NdtriGradient {
  static constexpr std::string_view kName = "gradient of ndtri";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T y, T gy) const {
    return gy * math::exp(y * y * T(0.5)) * T(2.5066282746310002);
  }
};
struct Ndtri {
  static constexpr std::string_view kLabel = "ndtri";
  using Forward = NdtriOp;
  using Gradients = TypeList<On<NdtriGradient, Y>>;
};

// Every rule above, for the kernels.
using InverseErrorFunctionRules = TypeList<Erfinv, Erfcinv, Ndtri>;

}  // namespace catena::functions
