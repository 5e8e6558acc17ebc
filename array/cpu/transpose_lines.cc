#include "catena/array/cpu/transpose_lines.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace catena::array::CATENA_BACKEND {

#ifdef __AVX512F__
namespace {

constexpr int kLine = 64;

// The numbers 0, ..., n - 1 as arguments of a template.
template <int... k>
struct Numbers {};
template <int n, int... k>
struct Count : Count<n - 1, n - 1, k...> {};
template <int... k>
struct Count<0, k...> {
  using type = Numbers<k...>;
};

template <class Word>
struct Square {
  static constexpr int kSide = kLine / sizeof(Word);
  using Side = typename Count<kSide>::type;
  typedef Word Row __attribute__((vector_size(kLine)));

  // The first, or last, halves of two rows, a word from each in turn.
  template <int first, int... k>
  [[gnu::always_inline]] static Row interleave(Row a, Row b, Numbers<k...>) {
    return __builtin_shufflevector(a, b, (first + k / 2 + k % 2 * kSide)...);
  }

  [[gnu::always_inline]] static void transpose(char* to, int64_t to_stride,
                                               const char* from,
                                               int64_t from_stride) {
    Row rows[kSide];
#pragma GCC unroll 16
    for (int i = 0; i < kSide; ++i) {
      rows[i] =
          reinterpret_cast<Row>(_mm512_loadu_si512(from + i * from_stride));
    }
    // Row r with row r + kSide / 2, as often as halves can be halved: that
    // turns the square round.
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
               int64_t from_stride, int64_t rows, int64_t columns) {
  constexpr int64_t kSide = Square<Word>::kSide;
  for (int64_t j = 0; j < columns; j += kSide) {
    for (int64_t i = 0; i < rows; i += kSide) {
      Square<Word>::transpose(
          to + j * to_stride + i * int64_t{sizeof(Word)}, to_stride,
          from + i * from_stride + j * int64_t{sizeof(Word)}, from_stride);
    }
  }
}

void run(int item_size, char* to, int64_t to_stride, const char* from,
         int64_t from_stride, int64_t rows, int64_t columns) {
  if (item_size == 4) {
    run_words<uint32_t>(to, to_stride, from, from_stride, rows, columns);
  } else {
    run_words<uint64_t>(to, to_stride, from, from_stride, rows, columns);
  }
}

}  // namespace

constinit const TransposeLines transpose_lines = {run};
#else
constinit const TransposeLines transpose_lines = {nullptr};
#endif

}  // namespace catena::array::CATENA_BACKEND
