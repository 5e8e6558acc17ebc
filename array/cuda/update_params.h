#pragma once

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <span>

// What the kernel is told that changes many arrays in one launch. Needs no GPU.
namespace catena::cuda {

// Arrays of one launch. Each has some blocks of its own, one after another.
struct UpdateParams {
  static constexpr int kArrays = 64;
  static constexpr int kOperands = 5;

  int count;
  int first_blocks[kArrays + 1];
  int64_t sizes[kArrays];
  char* data[kArrays][kOperands];
};
// Kernels may be given 4 KiB, the functor included.
static_assert(sizeof(UpdateParams) <= 4096 - 64);

// Calls `launch` with all arrays, in as few parts as possible; each takes
// `blocks` blocks. `data` has the operands of the first array, then those of
// the next; `pack` is how many elements a thread takes at a time.
void visit_updates(
    std::span<const int64_t> sizes, std::span<char* const> data, int pack,
    int multiprocessors,
    absl::FunctionRef<void(const UpdateParams& params, int blocks)> launch);

}  // namespace catena::cuda
