#pragma once

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <span>

// Parameters of the kernels that update many arrays in one launch. Needs no
// GPU.
namespace catena::cuda {

// The arrays of one launch. Each has its own consecutive blocks.
struct UpdateParams {
  static constexpr int kArrays = 64;
  static constexpr int kOperands = 5;

  int count;
  int first_blocks[kArrays + 1];
  int64_t sizes[kArrays];
  char* data[kArrays][kOperands];
};
// Kernel arguments are limited to 4 KiB, including the functor and two
// pointers.
static_assert(sizeof(UpdateParams) <= 4096 - 64 - 16);

// Calls `launch` with all arrays, in as few parts as possible; each takes
// `blocks` blocks. `data` has the operands of the first array, then those of
// the next; `pack` is the number of elements that a thread processes at a time,
// and `resident` that of the kernel's blocks that run at once.
void visit_updates(
    std::span<const int64_t> sizes, std::span<char* const> data, int pack,
    int64_t resident,
    absl::FunctionRef<void(const UpdateParams& params, int blocks)> launch);

}  // namespace catena::cuda
