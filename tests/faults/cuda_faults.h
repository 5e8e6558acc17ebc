#pragma once

#include <cstdint>

#include "catena/tests/faults/fault_matrix.h"

// Faults of emulated GPUs: Fault::kCuda, kCudaMemory and kCudaPool. In programs
// that link it, calls of the emulated CUDA and of its memory pools count.
namespace catena::testing {

// expect_faults_do_no_harm() with these faults. Trials find GPUs without work
// and pools without blocks, so that they ask the driver for memory, and nothing
// is left on the GPUs, either.
void expect_gpu_faults_do_no_harm(const FaultSubject& subject,
                                  int64_t most = 1000);

}  // namespace catena::testing
