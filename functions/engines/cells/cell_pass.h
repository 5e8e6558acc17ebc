#pragma once

#include <cstdint>

#include "catena/functions/engines/cells/cell_args.h"

// The part of the CPU's cell engine that does not depend on functor or
// instruction set: threads, and streams whose units lie apart, which pass
// through small buffers. A functor therefore only ever sees contiguous streams.
namespace catena::functions::cpu {

struct CellPass {
  // Runs the functor over n units; `data` are the streams' first elements, the
  // `inputs` first.
  void (*run)(char* const* data, int inputs, int64_t n, const void* op);
  // n groups of `count` items taken apart, and put together.
  void (*split)(char* const* to, const char* from, int count, int64_t n);
  void (*join)(char* to, char* const* from, int count, int64_t n);
  int item_size;
};

void run_cell_pass(const CellArgs& args, const CellPass& pass);

}  // namespace catena::functions::cpu
