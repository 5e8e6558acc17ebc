#pragma once

#include <cstdint>
#include <span>

#include "catena/array/core/dtype.h"

// The interface between the CPU's transform and its loops, which are compiled
// per instruction set.
namespace catena::array::fft {

// The radices that the loops support.
inline constexpr int kRadices[] = {4, 2, 3, 5, 7, 11, 13};

// One Stockham stage: splits n elements into `radix` parts of m = n / radix;
// the p-th of part k is element p + m k. Element j of p's small transform is
// then multiplied by exp(-2 pi i p j / n); `twiddles` holds the cosine and sine
// for each p and each j from 1.
template <class T>
struct FftStage {
  int radix;
  const T* twiddles;
};

// Several interleaved rows: element i of row r is at [i * rows + r] of the
// first pair of buffers. The second pair is workspace.
template <class T>
struct FftBatch {
  std::span<const FftStage<T>> stages;
  int64_t length;
  int64_t rows;
  T* real[2];
  T* imag[2];
};

// Transforms a batch. Returns the index of the buffers with the result.
template <class T>
using FftLoop = int(const FftBatch<T>& batch);

// to[c * to_step + r] = from[r * from_step + c] * scale: interleaves rows, or
// undoes it.
template <class T>
using FftTranspose = void(const T* from, int64_t from_step, T* to,
                          int64_t to_step, int64_t rows, int64_t columns,
                          T scale);

template <class T>
struct FftLoopsOf {
  FftLoop<T>* transform;
  FftTranspose<T>* transpose;
};
struct FftLoops {
  static constexpr std::string_view kName = "fft loops";
  using Table = FftLoops;
  FftLoopsOf<float> of_float;
  FftLoopsOf<double> of_double;
};

}  // namespace catena::array::fft
