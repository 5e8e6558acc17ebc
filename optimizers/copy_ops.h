#pragma once

#include <string_view>

#include "catena/array/kernels/math.h"

// Between a parameter and copies: its float32 copy, where it has 16 bits, and
// its average.
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

// average <- average + rate (x - average)
struct AverageOp {
  static constexpr std::string_view kName = "ParameterAverage";
  double rate;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T x, T& average) const {
    average += T(rate) * (x - average);
  }
};

// The same in float32 for a float16 or bfloat16 x.
struct WideAverageOp : AverageOp {
  static constexpr unsigned kFloat32Operands = 0b10;
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
