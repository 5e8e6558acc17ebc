#pragma once

#include <cstdint>

#include "catena/array/reduction.h"

// The part of the CPU's reductions that does not depend on functor or
// instruction set: loops over axes, threads, elements that are not contiguous.
// A kernel only ever sees contiguous rows.
namespace catena::kernels {

inline constexpr int kMaxStateSize = 24;

// What a functor brings. A state is what has been reduced so far to one output
// (reduction_ops.h); states of neighbouring outputs lie side by side.
struct RangeKernel {
  // States of nothing.
  void (*start)(void* states, int64_t n);
  // Row r of `rows`, `row_stride` bytes apart, holds n contiguous elements at
  // positions `first` and on of the reduced range: takes them into states[r].
  void (*rows)(const char* data, int64_t row_stride, int64_t rows, int64_t n,
               int64_t first, void* states);
  // Row r, of n contiguous elements, is position first + r of n reduced
  // ranges: takes element j into states[j].
  void (*columns)(const char* data, int64_t row_stride, int64_t rows, int64_t n,
                  int64_t first, void* states);
  // Takes others[j] into states[j].
  void (*merge)(void* states, const void* others, int64_t n);
  // The results, contiguous, of ranges of `count` elements.
  void (*finish)(const void* states, int64_t n, int64_t count, char* results);
  int8_t item_size;
  int8_t state_size;
  int8_t result_size;
  // Whether positions matter.
  bool indexed;
};

// How the range is cut for threads depends on shapes alone, and so does every
// rounding: the result is the same for any number of threads.
void run_reduction(const ReduceArgs& args, const RangeKernel& kernel);

}  // namespace catena::kernels
