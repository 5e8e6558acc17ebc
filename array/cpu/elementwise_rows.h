#pragma once

#include <cstdint>

#include "catena/array/kernels/elementwise_args.h"

// The part of the CPU's elementwise engine that is independent of the functor
// and the instruction set: loops over axes, threads, and buffering of
// non-contiguous operands in small blocks. Kernels thus only see contiguous
// operands.
namespace catena::kernels {

struct ElementwiseRow {
  // Runs the functor `op` over n elements. With `non_temporal` the output is
  // large and 64-byte aligned: stores should bypass the caches.
  void (*run)(char* const* data, int64_t n, const void* op, bool non_temporal);
  int8_t noperands;
  int8_t ninputs;
  // Whether outputs are read before they are written.
  bool updates;
  // Whether it supports non-temporal stores.
  bool streams;
  // Whether it only copies the items of its single input.
  bool copies;
  int8_t item_sizes[kMaxOperands];
};

void run_elementwise_rows(const ElementwiseArgs& args,
                          const ElementwiseRow& kernel);

}  // namespace catena::kernels
