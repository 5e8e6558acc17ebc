#pragma once

#include <string_view>

#include "catena/array/core/host_device.h"

namespace catena::optimizers {

// v <- momentum v + g,  u <- of_v v + of_grad g
struct MuonMomentumOp {
  static constexpr std::string_view kName = "momentum of Muon";
  double momentum;
  double of_v;
  double of_grad;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T grad, T& v, T& u) const {
    v = T(momentum) * v + grad;
    u = T(of_v) * v + T(of_grad) * grad;
  }
};

// w <- kept w - step u
struct MuonOp {
  static constexpr std::string_view kName = "Muon";
  double kept;  // 1 - lr weight_decay
  double step;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T u, T& param) const {
    param = T(kept) * param - T(step) * u;
  }
};

}  // namespace catena::optimizers
