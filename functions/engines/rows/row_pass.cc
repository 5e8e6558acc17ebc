#include "catena/functions/engines/rows/row_pass.h"

#include <algorithm>

#include "catena/array/cpu/memory_pool.h"
#include "catena/array/cpu/parallel.h"
#include "catena/array/cpu/stream_bytes.h"
#include "catena/array/cpu/strided_copy.h"

namespace catena::functions::cpu {
namespace {

// Minimum elements per thread; fewer are cheaper than waking a thread.
constexpr int64_t kGrain = 16384;

// The maximum size of the buffers for strided rows: a part of the L2 cache.
constexpr int64_t kBufferBytes = 64 << 10;

int operand_count(const RowPass& pass) {
  return pass.inputs + (pass.has_output ? 1 : 0);
}

bool is_shared(const RowPass& pass, int k) {
  return k < pass.inputs && k >= pass.inputs - pass.shared;
}

using Buffer = catena::cpu::PoolBuffer<char>;

// Rows [begin, end) whose elements are `inner` items apart.
void run_apart(const RowArgs& args, const RowPass& pass, int64_t begin,
               int64_t end, int64_t chunk, void* scratch) {
  const int count = operand_count(pass);
  const int item = pass.item_size;
  const int64_t row_bytes = args.length * item;
  const int64_t max = std::clamp<int64_t>(
      kBufferBytes / std::max<int64_t>(row_bytes * count, 1), 1, 64);
  const Buffer buffer(std::max<int64_t>(max * row_bytes * count, 1));
  char* data[kMaxRowOperands];
  for (int k = 0; k < count; ++k) {
    data[k] = is_shared(pass, k) ? args.operands[k]
                                 : buffer.get() + k * max * row_bytes;
  }
  while (begin < end) {
    const int64_t outer = begin / args.inner;
    const int64_t column = begin % args.inner;
    const int64_t n = std::min({max, end - begin, args.inner - column});
    const int64_t offset = (outer * args.length * args.inner + column) * item;
    for (int k = 0; k < pass.inputs - pass.shared; ++k) {
      catena::cpu::transpose_items(item, data[k], args.length * item,
                                   args.operands[k] + offset, args.inner * item,
                                   args.length, n);
    }
    pass.run(data, {args.length, begin, n, chunk}, args.op, scratch,
             /*streams=*/false);
    if (pass.has_output) {
      const int k = pass.inputs;
      catena::cpu::transpose_items(item, args.operands[k] + offset,
                                   args.inner * item, data[k],
                                   args.length * item, n, args.length);
    }
    begin += n;
  }
}

}  // namespace

void run_row_pass(const RowArgs& args, const RowPass& pass) {
  const bool streams =
      pass.has_output &&
      args.rows * args.length * pass.item_size >= catena::cpu::kStreamBytes;
  const auto run = [&](int64_t begin, int64_t end, int64_t chunk) {
    const Buffer scratch(std::max<int64_t>(1, args.length * pass.scratch_size));
    if (args.inner > 1 && args.length > 1) {
      return run_apart(args, pass, begin, end, chunk, scratch.get());
    }
    char* data[kMaxRowOperands];
    for (int k = 0; k < operand_count(pass); ++k) {
      data[k] = args.operands[k];
      if (is_shared(pass, k)) continue;
      data[k] += begin * args.length * pass.item_size;
    }
    pass.run(data, {args.length, begin, end - begin, chunk}, args.op,
             scratch.get(), streams);
    if (streams) catena::cpu::stream_fence();
  };
  const auto grain = [](int64_t elements) {
    return std::max<int64_t>(1, kGrain / std::max<int64_t>(elements, 1));
  };
  if (args.chunks == 0) {
    catena::cpu::parallel_for(
        args.rows, grain(args.length),
        [&](int64_t begin, int64_t end) { run(begin, end, /*chunk=*/0); });
    return;
  }
  const auto first_of = [&](int64_t chunk) {
    return args.rows * chunk / args.chunks;
  };
  catena::cpu::parallel_for(
      args.chunks, grain(args.length * args.rows / args.chunks),
      [&](int64_t begin, int64_t end) {
        for (int64_t chunk = begin; chunk < end; ++chunk) {
          run(first_of(chunk), first_of(chunk + 1), chunk);
        }
      });
}

}  // namespace catena::functions::cpu
