#include "catena/array/core/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace catena::cpu {
namespace {

// Reverses words, a register at a time.
template <class Word>
struct Reversed {
  typedef Word Row __attribute__((vector_size(16)));
  static constexpr int64_t kWords = sizeof(Row) / sizeof(Word);
  static constexpr int64_t kSize = sizeof(Word);

  // Reverses one register; the first item is at `from`.
  static Row row(const char* from) {
    Row row;
    std::memcpy(&row, from - (kWords - 1) * kSize, sizeof(Row));
    return [&]<size_t... k>(std::index_sequence<k...>) {
      return __builtin_shufflevector(row, row, (kWords - 1 - k)...);
    }
    (std::make_index_sequence<kWords>());
  }

  static void move(char* to, const char* from, int64_t n) {
    int64_t i = 0;
    for (; i + kWords <= n; i += kWords) {
      const Row words = row(from - i * kSize);
      std::memcpy(to + i * kSize, &words, sizeof(Row));
    }
    for (; i < n; ++i) std::memcpy(to + i * kSize, from - i * kSize, kSize);
  }

  // Non-temporal stores, last cache line first, so that reads go upwards, which
  // processors prefetch better.
  static void stream(char* to, const char* from, int64_t n) {
#ifdef __SSE2__
    constexpr int64_t kLine = 64 / kSize;
    const int64_t lines = n / kLine * kLine;
    move(to + lines * kSize, from - lines * kSize, n - lines);
    for (int64_t i = lines - kLine; i >= 0; i -= kLine) {
      Row line[4];
#pragma GCC unroll 4
      for (int k = 3; k >= 0; --k) {
        line[k] = row(from - (i + k * kWords) * kSize);
      }
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        _mm_stream_si128(
            reinterpret_cast<__m128i*>(to + (i + k * kWords) * kSize),
            reinterpret_cast<__m128i>(line[k]));
      }
    }
#else
    move(to, from, n);
#endif
  }
};

template <class Word>
void move_words(char* to, int64_t to_stride, const char* from,
                int64_t from_stride, int64_t n) {
  constexpr int64_t kSize = sizeof(Word);
  if (from_stride == 0 && to_stride == kSize) {
    Word word;
    std::memcpy(&word, from, sizeof(Word));
    std::fill_n(reinterpret_cast<Word*>(to), n, word);
    return;
  }
  if (to_stride == kSize && from_stride == -kSize) {
    return Reversed<Word>::move(to, from, n);
  }
  for (int64_t i = 0; i < n; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(Word));
  }
}

// Transposes a square of words with one 16-byte register per row, which all
// supported processors have. Memory bandwidth is the limit, not these
// instructions.
template <class Word>
class Square {
 public:
  static constexpr int kSide = 16 / sizeof(Word);

  static void transpose(char* to, int64_t to_stride, const char* from,
                        int64_t from_stride) {
    Square square;
    square.load(from, from_stride, Side());
    square.shuffle<kSide>();
    square.store(to, to_stride, Side());
  }

 private:
  typedef Word Row __attribute__((vector_size(16)));
  using Side = std::make_index_sequence<kSide>;

  template <size_t... k>
  void load(const char* from, int64_t stride, std::index_sequence<k...>) {
    (std::memcpy(&rows_[k], from + k * stride, sizeof(Row)), ...);
  }
  template <size_t... k>
  void store(char* to, int64_t stride, std::index_sequence<k...>) {
    (std::memcpy(to + k * stride, &rows_[k], sizeof(Row)), ...);
  }

  // Interleaves the words of the first, or last, halves of two rows.
  template <int first, size_t... k>
  static Row interleave(Row a, Row b, std::index_sequence<k...>) {
    return __builtin_shufflevector(a, b, (first + k / 2 + k % 2 * kSide)...);
  }
  template <size_t k>
  Row interleaved() const {
    constexpr int kFirst = k % 2 * kSide / 2;
    return interleave<kFirst>(rows_[k / 2], rows_[k / 2 + kSide / 2], Side());
  }
  template <size_t... k>
  void interleave_all(std::index_sequence<k...>) {
    const Square next{interleaved<k>()...};
    *this = next;
  }
  // Interleaving row r with row r + kSide / 2, log2(kSide) times, transposes
  // the square.
  template <int steps>
  void shuffle() {
    if constexpr (steps > 1) {
      interleave_all(Side());
      shuffle<steps / 2>();
    }
  }

 public:
  Row rows_[kSide];
};

template <class Word>
void transpose_words(char* to, int64_t to_stride, const char* from,
                     int64_t from_stride, int64_t rows, int64_t columns) {
  constexpr int64_t kSide = Square<Word>::kSide;
  constexpr int64_t kItem = sizeof(Word);
  int64_t i = 0;
  for (; i + kSide <= rows; i += kSide) {
    int64_t j = 0;
    for (; j + kSide <= columns; j += kSide) {
      Square<Word>::transpose(to + j * to_stride + i * kItem, to_stride,
                              from + i * from_stride + j * kItem, from_stride);
    }
    for (; j < columns; ++j) {
      move_words<Word>(to + j * to_stride + i * kItem, kItem,
                       from + i * from_stride + j * kItem, from_stride, kSide);
    }
  }
  for (; i < rows; ++i) {
    move_words<Word>(to + i * kItem, to_stride, from + i * from_stride, kItem,
                     columns);
  }
}

}  // namespace

void move_items(int item_size, char* to, int64_t to_stride, const char* from,
                int64_t from_stride, int64_t n) {
  switch (item_size) {
    case 1:
      return move_words<uint8_t>(to, to_stride, from, from_stride, n);
    case 2:
      return move_words<uint16_t>(to, to_stride, from, from_stride, n);
    case 4:
      return move_words<uint32_t>(to, to_stride, from, from_stride, n);
    case 8:
      return move_words<uint64_t>(to, to_stride, from, from_stride, n);
  }
}

void transpose_items(int item_size, char* to, int64_t to_stride,
                     const char* from, int64_t from_stride, int64_t rows,
                     int64_t columns) {
  switch (item_size) {
    case 1:
      return transpose_words<uint8_t>(to, to_stride, from, from_stride, rows,
                                      columns);
    case 2:
      return transpose_words<uint16_t>(to, to_stride, from, from_stride, rows,
                                       columns);
    case 4:
      return transpose_words<uint32_t>(to, to_stride, from, from_stride, rows,
                                       columns);
    case 8:
      return transpose_words<uint64_t>(to, to_stride, from, from_stride, rows,
                                       columns);
  }
}

void prefetch_rows(const char* from, int64_t from_stride, int64_t rows,
                   int64_t bytes) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t at = 0; at < bytes; at += 64) {
      // Row strides are often powers of 2, so that rows map to few sets of the
      // L1 cache; the L2 cache has room for them.
      __builtin_prefetch(from + i * from_stride + at, 0, 2);
    }
  }
}

void stream_bytes(char* to, const char* from, int64_t bytes) {
#ifdef __SSE2__
  const int64_t lines = bytes / 64 * 64;
  for (int64_t i = 0; i < lines; i += 64) {
    const auto* in = reinterpret_cast<const __m128i*>(from + i);
    auto* out = reinterpret_cast<__m128i*>(to + i);
    const __m128i a = _mm_loadu_si128(in);
    const __m128i b = _mm_loadu_si128(in + 1);
    const __m128i c = _mm_loadu_si128(in + 2);
    const __m128i d = _mm_loadu_si128(in + 3);
    _mm_stream_si128(out, a);
    _mm_stream_si128(out + 1, b);
    _mm_stream_si128(out + 2, c);
    _mm_stream_si128(out + 3, d);
  }
  std::memcpy(to + lines, from + lines, bytes - lines);
#else
  std::memcpy(to, from, bytes);
#endif
}

void stream_reversed(int item_size, char* to, const char* from, int64_t n) {
  switch (item_size) {
    case 1:
      return Reversed<uint8_t>::stream(to, from, n);
    case 2:
      return Reversed<uint16_t>::stream(to, from, n);
    case 4:
      return Reversed<uint32_t>::stream(to, from, n);
    case 8:
      return Reversed<uint64_t>::stream(to, from, n);
  }
}

void stream_fence() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace catena::cpu
