#include "catena/array/cpu/transpose_lines.h"

#include "catena/array/kernels/kernel_definition.h"

#ifdef __AVX512F__
#include <immintrin.h>

#include <cstddef>
#include <utility>
#endif

namespace catena::kernels::CATENA_BACKEND {

#ifdef __AVX512F__
namespace {

constexpr int kLine = 64;

template <class Word>
struct Square {
  static constexpr int kSide = kLine / sizeof(Word);
  using Side = std::make_index_sequence<kSide>;
  typedef Word Row __attribute__((vector_size(kLine)));

  // Interleaves the words of the first, or last, halves of two rows.
  template <int first, size_t... k>
  [[gnu::always_inline]] static Row interleave(Row a, Row b,
                                               std::index_sequence<k...>) {
    return __builtin_shufflevector(a, b, (first + k / 2 + k % 2 * kSide)...);
  }

  [[gnu::always_inline]] static void transpose(char* to, int64_t to_stride,
                                               const char* from,
                                               int64_t from_stride,
                                               int64_t ahead) {
    Row rows[kSide];
#pragma GCC unroll 16
    for (int i = 0; i < kSide; ++i) {
      // Row strides are often powers of 2, so that rows map to few sets of the
      // L1 cache; the L2 cache has room for them.
      __builtin_prefetch(from + i * from_stride + ahead, 0, 2);
      rows[i] =
          reinterpret_cast<Row>(_mm512_loadu_si512(from + i * from_stride));
    }
    // Interleaving row r with row r + kSide / 2, log2(kSide) times, transposes
    // the square.
#pragma GCC unroll 4
    for (int step = kSide; step > 1; step /= 2) {
      Row next[kSide];
#pragma GCC unroll 8
      for (int i = 0; i < kSide / 2; ++i) {
        next[2 * i] = interleave<0>(rows[i], rows[i + kSide / 2], Side());
        next[2 * i + 1] =
            interleave<kSide / 2>(rows[i], rows[i + kSide / 2], Side());
      }
#pragma GCC unroll 16
      for (int i = 0; i < kSide; ++i) rows[i] = next[i];
    }
#pragma GCC unroll 16
    for (int i = 0; i < kSide; ++i) {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i * to_stride),
                          reinterpret_cast<__m512i>(rows[i]));
    }
  }
};

template <class Word>
void run_words(char* to, int64_t to_stride, const char* from,
               int64_t from_stride, int64_t rows, int64_t columns,
               int64_t ahead) {
  constexpr int64_t kSide = Square<Word>::kSide;
  for (int64_t j = 0; j < columns; j += kSide) {
    for (int64_t i = 0; i < rows; i += kSide) {
      Square<Word>::transpose(
          to + j * to_stride + i * int64_t{sizeof(Word)}, to_stride,
          from + i * from_stride + j * int64_t{sizeof(Word)}, from_stride,
          ahead);
    }
  }
}

void run(int item_size, char* to, int64_t to_stride, const char* from,
         int64_t from_stride, int64_t rows, int64_t columns, int64_t ahead) {
  if (item_size == 4) {
    run_words<uint32_t>(to, to_stride, from, from_stride, rows, columns, ahead);
  } else {
    run_words<uint64_t>(to, to_stride, from, from_stride, rows, columns, ahead);
  }
}

}  // namespace

template <>
constinit const TransposeLines Kernels<TransposeLines>::table = {run};
#else
template <>
constinit const TransposeLines Kernels<TransposeLines>::table = {nullptr};
#endif

}  // namespace catena::kernels::CATENA_BACKEND
