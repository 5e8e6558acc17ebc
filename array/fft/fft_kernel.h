#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/kernel_slot.h"

// The interface between the Fourier transform and its kernels.
namespace catena::array::fft {

// `rows` contiguous transforms of `length` elements each; neither is 0. Inputs
// and outputs do not overlap. The inverse divides by the length.
struct FftArgs {
  Device device;
  int64_t rows;
  int64_t length;
  bool inverse;
  const char* real;
  const char* imag;
  char* real_out;
  char* imag_out;
};

using FftKernel = void(const FftArgs& args);
struct Fft {
  static constexpr std::string_view kName = "fft";
  static constexpr bool kCompiledOnce = true;
  using Kernel = FftKernel;
  using Table = DtypeTable<Kernel>;
  template <class Op>
  using Dtypes = TypeList<float, double>;
};

}  // namespace catena::array::fft
