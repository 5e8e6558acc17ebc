#pragma once

#include <string_view>

#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/linalg/gemm.h"

// Products of float32 and float64 matrices whose bits depend on the extents
// alone. In BLAS and oneDNN, where a sum's terms are added in another order at
// the edges of a part of the result, they depend on the number of threads.
namespace catena::array {

struct PackedGemm {
  static constexpr std::string_view kName = "packed_gemm";
  using Table = PackedGemm;
  // One product as described by GemmArgs, with matrices at these addresses.
  using Kernel = void(const GemmArgs& args, const char* a, const char* b,
                      char* c);
  // Null without instructions for several items at a time, where a library that
  // finds better ones is faster.
  Kernel* float32;
  Kernel* float64;

  template <class T>
  Kernel* kernel() const {
    return sizeof(T) == sizeof(float) ? float32 : float64;
  }
};

}  // namespace catena::array
