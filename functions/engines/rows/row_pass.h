#pragma once

#include <cstdint>

#include "catena/functions/engines/rows/row_args.h"

// The part of the CPU row engine that does not depend on functor or instruction
// set: threading, and copying strided rows through small buffers, so that
// kernels only see contiguous rows.
namespace catena::functions::cpu {

struct RowPass {
  struct Rows {
    int64_t length;
    int64_t first;
    int64_t count;
    int64_t chunk;  // to which they belong
  };
  // Runs the functor over consecutive rows of each operand, with a buffer for a
  // row of scratch items. `streams`: results should bypass the caches.
  void (*run)(char* const* data, const Rows& rows, const void* op,
              void* scratch, bool streams);
  // The same for rows side by side: element i of row r is at i * stride + r.
  // The operands hold a multiple of `lanes` rows, and scratch as many items as
  // `lanes` rows have.
  void (*run_side_by_side)(char* const* data, int64_t stride, const Rows& rows,
                           const void* op, void* scratch);
  uint8_t lanes;  // rows computed at once; 0: the functor takes single rows
  uint8_t inputs;
  uint8_t shared;  // how many of the last inputs are one shared row
  bool has_output;
  uint8_t item_size;
  uint8_t scratch_size;  // of an item in bytes; 0 without scratch
};

void run_row_pass(const RowArgs& args, const RowPass& pass);

}  // namespace catena::functions::cpu
