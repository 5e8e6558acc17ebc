#pragma once

#include <string_view>

#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/linalg/gemm.h"

// float32 products in which A has few rows: a step of a recurrent network, or a
// layer with a small batch. The cost is reading B from memory: it is
// prefetched, read once and not packed.
namespace catena::array {

struct SkinnyGemm {
  static constexpr std::string_view kName = "skinny_gemm";
  using Table = SkinnyGemm;
  // One product as described by GemmArgs, with matrices at these addresses. A
  // is not transposed; B may be.
  void (*run)(const GemmArgs& args, const char* a, const char* b, char* c);
};

}  // namespace catena::array
