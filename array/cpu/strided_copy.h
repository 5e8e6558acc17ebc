#pragma once

#include <cstdint>

// Bytes moved between layouts, and non-temporally. Item sizes are 1, 2, 4 or 8,
// strides are bytes.
namespace catena::cpu {

// Item i from from + i * from_stride to to + i * to_stride.
void move_items(int item_size, char* to, int64_t to_stride, const char* from,
                int64_t from_stride, int64_t n);

// Transposes a tile: `columns` items of each of `rows` rows, which lie
// `from_stride` apart, become the columns of rows `to_stride` apart.
void transpose_items(int item_size, char* to, int64_t to_stride,
                     const char* from, int64_t from_stride, int64_t rows,
                     int64_t columns);

// Asks for memory that will soon be read: `rows` rows of `bytes`.
void prefetch_rows(const char* from, int64_t from_stride, int64_t rows,
                   int64_t bytes);

// memcpy by non-temporal stores of whole cache lines, since large results would
// only flush the caches. `to` is aligned to 64 bytes. Call stream_fence()
// before another thread may read.
void stream_bytes(char* to, const char* from, int64_t bytes);

// The same with n items that lie the other way round, the first of them at
// `from`.
void stream_reversed(int item_size, char* to, const char* from, int64_t n);

void stream_fence();

}  // namespace catena::cpu
