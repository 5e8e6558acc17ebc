#include "catena/functions/engines/rows/row_pass.h"

#include <algorithm>
#include <cstring>

#include "catena/array/cpu/memory_pool.h"
#include "catena/array/cpu/parallel.h"

namespace catena::functions::cpu {
namespace {

// Fewer elements a thread cost less than waking it.
constexpr int64_t kGrain = 16384;

// What the buffers of rows that lie apart may take: a part of the second-level
// cache.
constexpr int64_t kBufferBytes = 64 << 10;

int operand_count(const RowPass& pass) {
  return pass.inputs + (pass.has_output ? 1 : 0);
}

bool is_shared(const RowPass& pass, int k) {
  return k < pass.inputs && k >= pass.inputs - pass.shared;
}

using Buffer = catena::cpu::PoolBuffer<char>;

// The (rows, columns) matrix `from`, whose rows are `from_step` items apart,
// transposed into `to`, whose rows are `to_step` items apart.
template <class Word>
void transpose_words(char* to, int64_t to_step, const char* from,
                     int64_t from_step, int64_t rows, int64_t columns) {
  auto* target = reinterpret_cast<Word*>(to);
  const auto* source = reinterpret_cast<const Word*>(from);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < columns; ++k) {
      target[k * to_step + i] = source[i * from_step + k];
    }
  }
}

void transpose_items(int item_size, char* to, int64_t to_step, const char* from,
                     int64_t from_step, int64_t rows, int64_t columns) {
  switch (item_size) {
    case 2:
      return transpose_words<uint16_t>(to, to_step, from, from_step, rows,
                                       columns);
    case 4:
      return transpose_words<uint32_t>(to, to_step, from, from_step, rows,
                                       columns);
    case 8:
      return transpose_words<uint64_t>(to, to_step, from, from_step, rows,
                                       columns);
  }
}

// Rows [begin, end) whose elements are `inner` items apart.
void run_apart(const RowArgs& args, const RowPass& pass, int64_t begin,
               int64_t end) {
  const int count = operand_count(pass);
  const int64_t row_bytes = args.length * pass.item_size;
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
    const int64_t offset =
        (outer * args.length * args.inner + column) * pass.item_size;
    for (int k = 0; k < pass.inputs - pass.shared; ++k) {
      transpose_items(pass.item_size, data[k], args.length,
                      args.operands[k] + offset, args.inner, args.length, n);
    }
    pass.run(data, args.length, begin, n, args.op);
    if (pass.has_output) {
      const int k = pass.inputs;
      transpose_items(pass.item_size, args.operands[k] + offset, args.inner,
                      data[k], args.length, n, args.length);
    }
    begin += n;
  }
}

}  // namespace

void run_row_pass(const RowArgs& args, const RowPass& pass) {
  const int64_t grain =
      std::max<int64_t>(1, kGrain / std::max<int64_t>(args.length, 1));
  catena::cpu::parallel_for(args.rows, grain, [&](int64_t begin, int64_t end) {
    if (args.inner > 1 && args.length > 1) {
      return run_apart(args, pass, begin, end);
    }
    char* data[kMaxRowOperands];
    for (int k = 0; k < operand_count(pass); ++k) {
      data[k] = args.operands[k];
      if (is_shared(pass, k)) continue;
      data[k] += begin * args.length * pass.item_size;
    }
    pass.run(data, args.length, begin, end - begin, args.op);
  });
}

}  // namespace catena::functions::cpu
