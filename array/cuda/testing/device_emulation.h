#pragma once

// Runs the per-thread code of kernels on the host, to test index arithmetic and
// cooperation between threads without a GPU. The names are CUDA's; tests enable
// them with compiler flags (EMULATION in BUILD).

#define CATENA_EMULATED_CUDA

#include <absl/functional/function_ref.h>

#include <algorithm>
#include <cstdint>

namespace catena::cuda::emulation {

struct Dim3 {
  uint32_t x = 0;
};

// Calls `body` for every thread of every block sequentially; threads must not
// wait for each other.
void run_grid(int blocks, int threads, absl::FunctionRef<void()> body);

// Like run_grid, with the threads of a block running concurrently.
void run_cooperative_grid(int blocks, int threads,
                          absl::FunctionRef<void()> body);

}  // namespace catena::cuda::emulation

extern thread_local catena::cuda::emulation::Dim3 threadIdx;
extern thread_local catena::cuda::emulation::Dim3 blockIdx;
extern catena::cuda::emulation::Dim3 blockDim;
extern catena::cuda::emulation::Dim3 gridDim;

void __syncthreads();
uint32_t __shfl_down_sync(uint32_t mask, uint32_t value, int distance);
uint32_t __shfl_xor_sync(uint32_t mask, uint32_t value, int bits);
using std::min;
