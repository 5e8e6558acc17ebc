#pragma once

#include <string_view>

#include "catena/array/kernels/math.h"

// Between a float16 or bfloat16 parameter and its float32 copy.
namespace catena::optimizers {

// wide <- scale * half
struct WidenOp {
  static constexpr std::string_view kName = "use_fp32_update";
  static constexpr unsigned kFloat32Operands = 0b10;
  double scale;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T half, T& wide) const {
    wide = T(scale) * half;
  }
};

// wide <- *scale * half, where only the device knows the scale
struct WidenByOp {
  static constexpr std::string_view kName = "use_fp32_update";
  static constexpr unsigned kFloat32Operands = 0b10;
  const double* scale;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T half, T& wide) const {
    wide = T(*scale) * half;
  }
};

// half <- wide, rounded
struct NarrowOp {
  static constexpr std::string_view kName = "use_fp32_update";
  static constexpr unsigned kFloat32Operands = 0b01;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T wide, T& half) const {
    half = wide;
  }
};

}  // namespace catena::optimizers
