#pragma once

#include <cstdint>

#include "catena/array/kernels/reduction_args.h"

// The part of the CPU's reductions that is independent of the functor and the
// instruction set: loops over axes, threads, non-contiguous elements. Kernels
// only see contiguous rows.
namespace catena::kernels {

inline constexpr int kMaxStateSize = 24;

// The kernel of a functor. A state accumulates one output (reduction_ops.h);
// the states of neighbouring outputs are adjacent.
struct RangeKernel {
  // Initializes states to the identity.
  void (*start)(void* states, int64_t n);
  // Row r of `rows`, `row_stride` bytes apart, has n contiguous elements, at
  // positions from `first` on of the reduced range: accumulates them into
  // states[r].
  void (*rows)(const char* data, int64_t row_stride, int64_t rows, int64_t n,
               int64_t first, void* states);
  // Row r, of n contiguous elements, is position first + r of n reduced ranges:
  // accumulates element j into states[j].
  void (*columns)(const char* data, int64_t row_stride, int64_t rows, int64_t n,
                  int64_t first, void* states);
  // Combines others[j] into states[j].
  void (*merge)(void* states, const void* others, int64_t n);
  // Writes contiguous results for ranges of `count` elements.
  void (*finish)(const void* states, int64_t n, int64_t count, char* results);
  uint8_t item_size;
  uint8_t state_size;
  uint8_t result_size;
  // Whether it uses positions.
  bool indexed;
};

// The split of the range between threads depends only on shapes, and so does
// rounding: the result is the same for any number of threads.
void run_reduction(const ReduceArgs& args, const RangeKernel& kernel);

}  // namespace catena::kernels
