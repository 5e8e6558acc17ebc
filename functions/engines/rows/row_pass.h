#pragma once

#include <cstdint>

#include "catena/functions/engines/rows/row_args.h"

// The part of the CPU's row engine that does not depend on functor or
// instruction set: threads, and rows whose elements lie apart, which pass
// through small buffers. A kernel therefore only ever sees contiguous rows.
namespace catena::functions::cpu {

struct RowPass {
  // Runs the functor over `count` rows, one after another in each operand; the
  // first of them is row number `first`.
  void (*run)(char* const* data, int64_t length, int64_t first, int64_t count,
              const void* op);
  int8_t inputs;
  int8_t shared;  // the last of them, which are one row for all
  bool has_output;
  int8_t item_size;
};

void run_row_pass(const RowArgs& args, const RowPass& pass);

}  // namespace catena::functions::cpu
