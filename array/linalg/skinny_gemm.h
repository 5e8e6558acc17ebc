#pragma once

#include <string_view>

#include "catena/array/kernel_slot.h"
#include "catena/array/linalg/gemm.h"

// Products of float32 in which A has few rows: a step of a recurrent network, a
// layer of a small batch. Most of what is read is B, which comes from far away:
// it is asked for early, read once and never rearranged.
namespace catena::array {

struct SkinnyGemm {
  static constexpr std::string_view kName = "skinny_gemm";
  using Table = SkinnyGemm;
  // What GemmArgs says, of the matrices at these addresses. A is not
  // transposed; B may be.
  void (*run)(const GemmArgs& args, const char* a, const char* b, char* c);
};

}  // namespace catena::array
