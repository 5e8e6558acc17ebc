#pragma once

#include <string_view>
#include <type_traits>

#include "catena/array/core/float16.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/linalg/gemm.h"

// Products of float matrices whose bits depend on the extents alone; those of
// 16-bit floats are computed in float32 and rounded once. In BLAS and oneDNN,
// where a sum's terms are added in another order at the edges of a part of the
// result, they depend on the number of threads.
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
  Kernel* float16;
  Kernel* bfloat16;

  template <class T>
  Kernel* kernel() const {
    if constexpr (std::is_same_v<T, float>) {
      return float32;
    } else if constexpr (std::is_same_v<T, double>) {
      return float64;
    } else if constexpr (std::is_same_v<T, catena::float16>) {
      return float16;
    } else {
      return bfloat16;
    }
  }
};

}  // namespace catena::array
