#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/math.h"
#include "catena/functions/engines/elementwise/rule.h"

// The rule of local_response_normalization, with inputs x and the sums of
// squares of its neighbours.
namespace catena::functions {

struct LocalResponseParams {
  int64_t n;  // channels of a window, which the sums are already of
  double k;
  double alpha;
  double beta;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("n", n);
    visit("k", k);
    visit("alpha", alpha);
    visit("beta", beta);
  }

  // (k + alpha s)^-power.
  template <class T>
  CATENA_HOST_DEVICE T scale(T s, double power) const {
    return math::exp(T(-power) * math::log(T(k) + T(alpha) * s));
  }
};
struct LocalResponseOp : LocalResponseParams {
  static constexpr std::string_view kName = "local_response_normalization";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T s) const {
    return x * scale(s, beta);
  }
};
struct LocalResponseGradient : LocalResponseParams {
  static constexpr std::string_view kName =
      "gradient of local_response_normalization";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T s, T gy) const {
    return gy * scale(s, beta);
  }
};
struct LocalResponseSumGradient : LocalResponseParams {
  static constexpr std::string_view kName =
      "gradient of local_response_normalization by its sums";
  template <class T>
  CATENA_HOST_DEVICE T operator()(T x, T s, T gy) const {
    return T(-alpha * beta) * gy * x * scale(s, beta + 1);
  }
};
struct LocalResponse {
  static constexpr std::string_view kLabel = "local_response_normalization";
  static constexpr std::string_view kInputNames[] = {"x", "sums"};
  using Params = LocalResponseParams;
  using Forward = LocalResponseOp;
  using Gradients = TypeList<On<LocalResponseGradient, X1>,
                             On<LocalResponseSumGradient, X0, X1>>;
};

}  // namespace catena::functions
