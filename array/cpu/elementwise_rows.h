#pragma once

#include <cstdint>

#include "catena/array/elementwise.h"

// The part of the CPU's elementwise engine that does not depend on functor or
// instruction set: loops over axes, threads, and operands that are not
// contiguous, which pass through small buffers block by block. A kernel
// therefore only ever sees contiguous operands.
namespace catena::kernels {

struct ElementwiseRow {
  // Runs the functor `op` over n elements. With `non_temporal` the output is
  // aligned to 64 bytes and large: stores should bypass the caches.
  void (*run)(char* const* data, int64_t n, const void* op, bool non_temporal);
  int8_t noperands;
  int8_t ninputs;
  // Whether outputs are read before they are written.
  bool updates;
  // Whether it can stream.
  bool streams;
  // Whether it only moves the items of its one input to its output.
  bool copies;
  int8_t item_sizes[kMaxOperands];
};

void run_elementwise_rows(const ElementwiseArgs& args,
                          const ElementwiseRow& kernel);

}  // namespace catena::kernels
