#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/core/host_device.h"
#include "catena/array/kernels/elementwise_args.h"

// Rotations of pairs of elements.
namespace catena::functions {

struct RotaryFamily : array::ElementwiseFamily {
  template <class Op>
  using Dtypes = FloatTypes;
};

// (y1, y2) is (x1, x2) turned by an angle, or back.
struct RotaryOp {
  static constexpr std::string_view kName = "rotary_embedding";
  double direction;  // 1, or -1 for back
  template <class T>
  CATENA_HOST_DEVICE void operator()(T x1, T x2, T cos, T sin, T& y1,
                                     T& y2) const {
    const T turned = sin * T(direction);
    y1 = x1 * cos - x2 * turned;
    y2 = x1 * turned + x2 * cos;
  }
};

}  // namespace catena::functions
