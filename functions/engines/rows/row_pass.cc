#include "catena/functions/engines/rows/row_pass.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "catena/array/core/memory_pool.h"
#include "catena/array/core/parallel.h"
#include "catena/array/core/stream_bytes.h"
#include "catena/array/core/strided_copy.h"

namespace catena::functions::cpu {
namespace {

// Minimum elements per thread; fewer are cheaper than waking a thread.
constexpr int64_t kGrain = 16384;

// The maximum size of the buffers for strided rows: a part of the L2 cache.
constexpr int64_t kBufferBytes = 64 << 10;
// The same for rows side by side, as few as fill a cache line.
constexpr int64_t kMaxBufferBytes = 512 << 10;
constexpr int64_t kLine = 64;
constexpr int64_t kMaxRowsAtOnce = 64;
constexpr int64_t kMaxSideBySide = 512;
constexpr int64_t kWorthStreaming = 512;

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
      kBufferBytes / std::max<int64_t>(row_bytes * count, 1), 1,
      kMaxRowsAtOnce);
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

// The least number of rows side by side that are copied at once.
int64_t min_side_by_side(const RowPass& pass) {
  return std::max<int64_t>(pass.lanes, kLine / pass.item_size);
}

// Whether such rows are computed side by side, by their shape alone.
bool suits_lanes(const RowArgs& args, const RowPass& pass) {
  return pass.lanes > 0 && args.inner * 2 >= pass.lanes &&
         args.length * pass.item_size * operand_count(pass) *
                 min_side_by_side(pass) <=
             kMaxBufferBytes;
}

// Equally long lines in memory.
struct Lines {
  char* data;
  int64_t step;
};

void copy_lines(const Lines& to, const Lines& from, int64_t count,
                int64_t bytes) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to.data + i * to.step, from.data + i * from.step,
                static_cast<size_t>(bytes));
  }
}

// The same past the caches.
void stream_lines(const Lines& to, const Lines& from, int64_t count,
                  int64_t bytes) {
  for (int64_t i = 0; i < count; ++i) {
    char* const line = to.data + i * to.step;
    const char* const source = from.data + i * from.step;
    const auto past =
        static_cast<int64_t>(reinterpret_cast<uintptr_t>(line) % kLine);
    const int64_t head = std::min(bytes, (kLine - past) % kLine);
    std::memcpy(line, source, static_cast<size_t>(head));
    catena::cpu::stream_bytes(line + head, source + head, bytes - head);
  }
}

// The same, without transposing them, for functors that compute rows in lanes.
void run_in_lanes(const RowArgs& args, const RowPass& pass, int64_t begin,
                  int64_t end, bool streams) {
  const int count = operand_count(pass);
  const int item = pass.item_size;
  const int64_t line = args.inner * item;
  const int64_t of_all = args.length * item * count;
  const int64_t stride =
      std::clamp<int64_t>(kBufferBytes / of_all, min_side_by_side(pass),
                          kMaxSideBySide) /
      pass.lanes * pass.lanes;
  // The last lanes of a group may be no rows, but are computed.
  const Buffer buffer(of_all * stride);
  std::memset(buffer.get(), 0, static_cast<size_t>(of_all * stride));
  const Buffer scratch(
      std::max<int64_t>(1, args.length * pass.scratch_size * pass.lanes));
  char* data[kMaxRowOperands];
  for (int k = 0; k < count; ++k) {
    data[k] = buffer.get() + k * args.length * item * stride;
  }
  while (begin < end) {
    const int64_t outer = begin / args.inner;
    const int64_t column = begin % args.inner;
    const int64_t n = std::min({stride, end - begin, args.inner - column});
    const int64_t offset = (outer * args.length * args.inner + column) * item;
    for (int k = 0; k < pass.inputs; ++k) {
      copy_lines({data[k], stride * item}, {args.operands[k] + offset, line},
                 args.length, n * item);
    }
    pass.run_side_by_side(data, stride, {args.length, begin, n, 0}, args.op,
                          scratch.get());
    if (pass.has_output) {
      const Lines to = {args.operands[pass.inputs] + offset, line};
      const Lines from = {data[pass.inputs], stride * item};
      const bool past_caches = streams && n * item >= kWorthStreaming;
      (past_caches ? stream_lines : copy_lines)(to, from, args.length,
                                                n * item);
    }
    begin += n;
  }
}

}  // namespace

void run_row_pass(const RowArgs& args, const RowPass& pass) {
  const bool streams =
      pass.has_output &&
      args.rows * args.length * pass.item_size >= catena::cpu::kStreamBytes;
  const bool is_apart = args.inner > 1 && args.length > 1;
  const bool in_lanes = is_apart && suits_lanes(args, pass);
  const auto run = [&](int64_t begin, int64_t end, int64_t chunk) {
    if (in_lanes) {
      run_in_lanes(args, pass, begin, end, streams);
      if (streams) catena::cpu::stream_fence();
      return;
    }
    const Buffer scratch(std::max<int64_t>(1, args.length * pass.scratch_size));
    if (is_apart) {
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
