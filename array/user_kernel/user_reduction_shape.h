#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "catena/cuda/launch_shape.h"

namespace catena::cuda {

// The launch shape of a user-defined reduction with blocks of kBlockThreads:
// each group of `threads` threads handles one of the `parts` of an output's
// elements.
struct UserReductionShape {
  int threads = 1;    // a power of two, at most kBlockThreads
  int64_t parts = 1;  // more than 1 if the outputs alone would not fill the GPU
  int64_t blocks = 1;

  friend bool operator==(const UserReductionShape&,
                         const UserReductionShape&) = default;
};

// `by_columns`: outputs are closer in memory than the elements of one output,
// so neighbouring threads should process neighbouring outputs. `resident`: the
// kernel's blocks that run at once.
constexpr UserReductionShape user_reduction_shape(int64_t outputs,
                                                  int64_t count,
                                                  bool by_columns,
                                                  int64_t resident) {
  constexpr int64_t kMinInPart = 16;  // elements per thread
  UserReductionShape shape;
  if (!by_columns || outputs < kBlockThreads) {
    shape.threads = static_cast<int>(std::bit_ceil(
        static_cast<uint64_t>(std::clamp<int64_t>(count, 1, kBlockThreads))));
  }
  const int64_t groups = kBlockThreads / shape.threads;
  const int64_t blocks = ceil_divide(outputs, groups);
  const int64_t wanted = ceil_divide(resident, std::max<int64_t>(blocks, 1));
  shape.parts = std::clamp<int64_t>(count / (shape.threads * kMinInPart), 1,
                                    std::max<int64_t>(wanted, 1));
  shape.blocks = std::clamp<int64_t>(ceil_divide(outputs * shape.parts, groups),
                                     1, resident);
  return shape;
}

}  // namespace catena::cuda
