#pragma once

#include "catena/array/kernel_slot.h"
#include "catena/array/linalg/gemm.h"

// Products of float32 in which A has few rows: a step of a recurrent network, a
// layer of a small batch. Most of what is read is B, which comes from far away:
// it is asked for early, read once and never rearranged.
namespace catena::array {

struct SkinnyGemm {
  // What GemmArgs says, of the matrices at these addresses. A is not
  // transposed; B may be.
  void (*run)(const GemmArgs& args, const char* a, const char* b, char* c);
};

namespace cpu_baseline {
extern const SkinnyGemm skinny_gemm;
}
#ifndef CATENA_ONLY_CPU_BASELINE
namespace cpu_avx2 {
extern const SkinnyGemm skinny_gemm;
}
namespace cpu_avx512 {
extern const SkinnyGemm skinny_gemm;
}
#endif

inline constinit KernelSlot<SkinnyGemm> skinny_gemm_slot = {
    "skinny_gemm",
    {&cpu_baseline::skinny_gemm, &cpu_avx2::skinny_gemm,
     &cpu_avx512::skinny_gemm, nullptr}};

}  // namespace catena::array
