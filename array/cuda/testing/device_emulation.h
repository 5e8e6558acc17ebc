#pragma once

// Runs on the host what the threads of a kernel do, so that the index
// arithmetic and the cooperation of threads are tested without a GPU. The names
// are CUDA's; tests get them by their flags (EMULATION in BUILD).

#include <absl/functional/function_ref.h>

#include <algorithm>
#include <cstdint>

namespace catena::cuda::emulation {

struct Dim3 {
  uint32_t x = 0;
};

// Calls `body` for every thread of every block: one after the other, so that it
// must not wait for another thread.
void run_grid(int blocks, int threads, absl::FunctionRef<void()> body);

// The same with the threads of a block side by side.
void run_cooperative_grid(int blocks, int threads,
                          absl::FunctionRef<void()> body);

}  // namespace catena::cuda::emulation

extern thread_local catena::cuda::emulation::Dim3 threadIdx;
extern thread_local catena::cuda::emulation::Dim3 blockIdx;
extern catena::cuda::emulation::Dim3 blockDim;
extern catena::cuda::emulation::Dim3 gridDim;

void __syncthreads();
uint32_t __shfl_down_sync(uint32_t mask, uint32_t value, int distance);
using std::min;
