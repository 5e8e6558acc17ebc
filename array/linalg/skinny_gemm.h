#pragma once

#include "catena/array/kernel_slot.h"
#include "catena/array/linalg/gemm.h"

// Products of float32 in which A has few rows: a step of a recurrent network, a
// layer of a small batch. Most of what is read is B, which comes from far away:
// it is asked for early, read once and never rearranged.
namespace catena::array {

struct FewRows {
  // What GemmArgs says, of the matrices at these addresses. A is not
  // transposed; B may be.
  void (*run)(const GemmArgs& args, const char* a, const char* b, char* c);
};

namespace cpu_baseline {
extern const FewRows few_rows;
}
#ifndef CATENA_ONLY_CPU_BASELINE
namespace cpu_avx2 {
extern const FewRows few_rows;
}
namespace cpu_avx512 {
extern const FewRows few_rows;
}
#endif

inline constinit KernelSlot<FewRows> few_rows_slot = {
    "few_rows",
    {&cpu_baseline::few_rows, &cpu_avx2::few_rows, &cpu_avx512::few_rows,
     nullptr}};

}  // namespace catena::array
