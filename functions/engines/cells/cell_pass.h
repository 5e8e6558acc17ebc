#pragma once

#include <cstdint>

#include "catena/functions/engines/cells/cell_args.h"

// The part of the CPU cell engine that does not depend on functor or
// instruction set: threading, and copying strided streams through small
// buffers, so that functors only see contiguous streams.
namespace catena::functions::cpu {

struct CellPass {
  // Runs the functor over n units; `data` points to the streams' first
  // elements, inputs first.
  void (*run)(char* const* data, int inputs, int64_t n, const void* op);
  // Deinterleave and interleave n groups of `count` items.
  void (*split)(char* const* to, const char* from, int count, int64_t n);
  void (*join)(char* to, char* const* from, int count, int64_t n);
  int item_size;
};

void run_cell_pass(const CellArgs& args, const CellPass& pass);

}  // namespace catena::functions::cpu
