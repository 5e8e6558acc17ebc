#pragma once

#include <cstdint>

// Copies between layouts, and copies with non-temporal stores. Item sizes are
// 1, 2, 4 or 8; strides are in bytes.
namespace catena::cpu {

// Copies item i from from + i * from_stride to to + i * to_stride.
void move_items(int item_size, char* to, int64_t to_stride, const char* from,
                int64_t from_stride, int64_t n);

// Transposes a tile of `rows` by `columns` items, with rows `from_stride` apart
// in `from` and `to_stride` apart in `to`.
void transpose_items(int item_size, char* to, int64_t to_stride,
                     const char* from, int64_t from_stride, int64_t rows,
                     int64_t columns);

// Prefetches `rows` rows of `bytes`.
void prefetch_rows(const char* from, int64_t from_stride, int64_t rows,
                   int64_t bytes);

// memcpy with non-temporal stores of whole cache lines. `to` must be 64-byte
// aligned. Call stream_fence() before another thread reads.
void stream_bytes(char* to, const char* from, int64_t bytes);

// Like stream_bytes for n items in reverse order in memory, the first at
// `from`.
void stream_reversed(int item_size, char* to, const char* from, int64_t n);

void stream_fence();

}  // namespace catena::cpu
