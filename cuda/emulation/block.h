#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

#include "cuda_runtime_api.h"

// One block of a kernel at a time, with a fiber for each of its threads that
// waits at a barrier.
namespace catena::cuda::emulation {

// Where the running thread of the device is.
extern thread_local constinit uint3 threadIdx;
extern thread_local constinit uint3 blockIdx;
extern thread_local constinit dim3 blockDim;
extern thread_local constinit dim3 gridDim;

// Runs `thread` for each thread of each block. Returns what was wrong, if not
// all threads that should reach a barrier do: "thread 3 of block 0 waits at
// ..."; empty if nothing was. Blocks and threads run in an order that differs
// from launch to launch.
std::string run_grid(dim3 grid, dim3 block,
                     const std::function<void()>& thread);

// __syncthreads() and __syncwarp(mask), called by a thread of the device.
void wait_for_block();
void wait_for_warp(unsigned mask);

// Grows when all threads of the block have met in wait_for_block(), and from
// block to block.
uint64_t meetings();

// Where each lane of the running warp shows the others 16 bytes. One exchange
// uses other memory than the next, so that a warp meets once in each.
char (*next_exchange())[16];
int lane();

// __shfl_*_sync: each thread of the warp gives `value` and gets that of the
// lane source(own lane).
template <class T, class Source>
T exchange(unsigned mask, const T& value, Source source) {
  static_assert(sizeof(T) <= 16);
  char(*const slots)[16] = next_exchange();
  const int own = lane();
  std::memcpy(slots[own], &value, sizeof(T));
  wait_for_warp(mask);
  T result;
  std::memcpy(&result, slots[source(own)], sizeof(T));
  return result;
}

}  // namespace catena::cuda::emulation
