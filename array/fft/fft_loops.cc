// The stages of the CPU's Fourier transform, compiled for every instruction
// set. The innermost loop runs over adjacent elements, as many as there are
// rows at first and more after each stage, so that the compiler vectorizes it.
// ("omp simd" would keep the small arrays in memory.)

#include <cstdint>

#include "catena/array/core/host_device.h"
#include "catena/array/fft/fft_stages.h"
#include "catena/array/kernels/kernel_definition.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using fft::FftBatch;

// cos and -sin of 2 pi k / radix for k = 0, ..., radix - 1.
template <int radix>
struct Roots;
template <>
struct Roots<3> {
  static constexpr double kCos[] = {1, -0.5, -0.5};
  static constexpr double kSin[] = {0, -0.86602540378443864676,
                                    0.86602540378443864676};
};
template <>
struct Roots<5> {
  static constexpr double kCos[] = {
      1, 0.30901699437494742410, -0.80901699437494742410,
      -0.80901699437494742410, 0.30901699437494742410};
  static constexpr double kSin[] = {
      0, -0.95105651629515357212, -0.58778525229247312917,
      0.58778525229247312917, 0.95105651629515357212};
};
template <>
struct Roots<7> {
  static constexpr double kCos[] = {1,
                                    0.62348980185873353053,
                                    -0.22252093395631440429,
                                    -0.90096886790241912624,
                                    -0.90096886790241912624,
                                    -0.22252093395631440429,
                                    0.62348980185873353053};
  static constexpr double kSin[] = {0,
                                    -0.78183148246802980871,
                                    -0.97492791218182360702,
                                    -0.43388373911755812048,
                                    0.43388373911755812048,
                                    0.97492791218182360702,
                                    0.78183148246802980871};
};
template <>
struct Roots<11> {
  static constexpr double kCos[] = {1,
                                    0.84125353283118116886,
                                    0.41541501300188642553,
                                    -0.14231483827328514044,
                                    -0.65486073394528506406,
                                    -0.95949297361449738989,
                                    -0.95949297361449738989,
                                    -0.65486073394528506406,
                                    -0.14231483827328514044,
                                    0.41541501300188642553,
                                    0.84125353283118116886};
  static constexpr double kSin[] = {0,
                                    -0.54064081745559758211,
                                    -0.90963199535451837141,
                                    -0.98982144188093273238,
                                    -0.75574957435425828377,
                                    -0.28173255684142969771,
                                    0.28173255684142969771,
                                    0.75574957435425828377,
                                    0.98982144188093273238,
                                    0.90963199535451837141,
                                    0.54064081745559758211};
};
template <>
struct Roots<13> {
  static constexpr double kCos[] = {1,
                                    0.88545602565320989590,
                                    0.56806474673115580251,
                                    0.12053668025532305335,
                                    -0.35460488704253562597,
                                    -0.74851074817110109863,
                                    -0.97094181742605202716,
                                    -0.97094181742605202716,
                                    -0.74851074817110109863,
                                    -0.35460488704253562597,
                                    0.12053668025532305335,
                                    0.56806474673115580251,
                                    0.88545602565320989590};
  static constexpr double kSin[] = {0,
                                    -0.46472317204376854566,
                                    -0.82298386589365639458,
                                    -0.99270887409805399280,
                                    -0.93501624268541482344,
                                    -0.66312265824079520238,
                                    -0.23931566428755776715,
                                    0.23931566428755776715,
                                    0.66312265824079520238,
                                    0.93501624268541482344,
                                    0.99270887409805399280,
                                    0.82298386589365639458,
                                    0.46472317204376854566};
};

// The transform of `radix` elements, in place.
template <int radix>
struct Butterfly {
  // The sums of elements k and radix - k are multiplied by the real parts of
  // the roots, their differences by the imaginary parts.
  template <class T>
  static inline void run(T* re, T* im) {
    constexpr int kHalf = (radix - 1) / 2;
    T sum_re[kHalf], sum_im[kHalf], diff_re[kHalf], diff_im[kHalf];
    const T first_re = re[0];
    const T first_im = im[0];
    T total_re = first_re;
    T total_im = first_im;
#pragma GCC unroll 16
    for (int k = 0; k < kHalf; ++k) {
      sum_re[k] = re[k + 1] + re[radix - 1 - k];
      sum_im[k] = im[k + 1] + im[radix - 1 - k];
      diff_re[k] = re[k + 1] - re[radix - 1 - k];
      diff_im[k] = im[k + 1] - im[radix - 1 - k];
      total_re += sum_re[k];
      total_im += sum_im[k];
    }
    re[0] = total_re;
    im[0] = total_im;
#pragma GCC unroll 16
    for (int j = 1; j <= kHalf; ++j) {
      T even_re = first_re;
      T even_im = first_im;
      T odd_re = 0;
      T odd_im = 0;
#pragma GCC unroll 16
      for (int k = 0; k < kHalf; ++k) {
        const int root = j * (k + 1) % radix;
        const T c = static_cast<T>(Roots<radix>::kCos[root]);
        const T s = static_cast<T>(Roots<radix>::kSin[root]);
        even_re += c * sum_re[k];
        even_im += c * sum_im[k];
        odd_re += s * diff_re[k];
        odd_im += s * diff_im[k];
      }
      re[j] = even_re - odd_im;
      im[j] = even_im + odd_re;
      re[radix - j] = even_re + odd_im;
      im[radix - j] = even_im - odd_re;
    }
  }
};

template <>
struct Butterfly<2> {
  template <class T>
  static inline void run(T* re, T* im) {
    const T a_re = re[0];
    const T a_im = im[0];
    re[0] = a_re + re[1];
    im[0] = a_im + im[1];
    re[1] = a_re - re[1];
    im[1] = a_im - im[1];
  }
};

template <>
struct Butterfly<4> {
  template <class T>
  static inline void run(T* re, T* im) {
    const T even_re = re[0] + re[2];
    const T even_im = im[0] + im[2];
    const T odd_re = re[1] + re[3];
    const T odd_im = im[1] + im[3];
    const T left_re = re[0] - re[2];
    const T left_im = im[0] - im[2];
    // The difference times -i.
    const T right_re = im[1] - im[3];
    const T right_im = re[3] - re[1];
    re[0] = even_re + odd_re;
    im[0] = even_im + odd_im;
    re[1] = left_re + right_re;
    im[1] = left_im + right_im;
    re[2] = even_re - odd_re;
    im[2] = even_im - odd_im;
    re[3] = left_re - right_re;
    im[3] = left_im - right_im;
  }
};

// One stage: `side` adjacent elements form a group, m groups a part.
template <int radix, class T>
void run_stage(int64_t m, int64_t side, const T* __restrict twiddles,
               const T* __restrict in_re, const T* __restrict in_im,
               T* __restrict out_re, T* __restrict out_im) {
  for (int64_t p = 0; p < m; ++p) {
    T w_re[radix];
    T w_im[radix];
    for (int j = 1; j < radix; ++j) {
      w_re[j] = twiddles[(p * (radix - 1) + j - 1) * 2];
      w_im[j] = twiddles[(p * (radix - 1) + j - 1) * 2 + 1];
    }
    const int64_t from = side * p;
    const int64_t to = side * radix * p;
    CATENA_IVDEP
    for (int64_t q = 0; q < side; ++q) {
      T re[radix];
      T im[radix];
#pragma GCC unroll 16
      for (int k = 0; k < radix; ++k) {
        re[k] = in_re[from + side * m * k + q];
        im[k] = in_im[from + side * m * k + q];
      }
      Butterfly<radix>::run(re, im);
      out_re[to + q] = re[0];
      out_im[to + q] = im[0];
#pragma GCC unroll 16
      for (int j = 1; j < radix; ++j) {
        out_re[to + side * j + q] = re[j] * w_re[j] - im[j] * w_im[j];
        out_im[to + side * j + q] = re[j] * w_im[j] + im[j] * w_re[j];
      }
    }
  }
}

template <class T>
int run_stages(const FftBatch<T>& batch) {
  int64_t n = batch.length;
  int64_t side = batch.rows;
  int from = 0;
  for (const fft::FftStage<T>& stage : batch.stages) {
    const int64_t m = n / stage.radix;
    const auto run = [&](auto stage_function) {
      stage_function(m, side, stage.twiddles, batch.real[from],
                     batch.imag[from], batch.real[1 - from],
                     batch.imag[1 - from]);
    };
    switch (stage.radix) {
      case 2:
        run(run_stage<2, T>);
        break;
      case 3:
        run(run_stage<3, T>);
        break;
      case 4:
        run(run_stage<4, T>);
        break;
      case 5:
        run(run_stage<5, T>);
        break;
      case 7:
        run(run_stage<7, T>);
        break;
      case 11:
        run(run_stage<11, T>);
        break;
      case 13:
        run(run_stage<13, T>);
        break;
    }
    from = 1 - from;
    n = m;
    side *= stage.radix;
  }
  return from;
}

// Transposes four by four squares in registers.
constexpr int64_t kSide = 4;

template <class T>
inline void transpose_square(const T* from, int64_t from_step, T* to,
                             int64_t to_step, T scale) {
  typedef T Row __attribute__((vector_size(kSide * sizeof(T))));
  Row a, b, c, d;
  __builtin_memcpy(&a, from, sizeof(Row));
  __builtin_memcpy(&b, from + from_step, sizeof(Row));
  __builtin_memcpy(&c, from + 2 * from_step, sizeof(Row));
  __builtin_memcpy(&d, from + 3 * from_step, sizeof(Row));
  const Row ac_low = __builtin_shufflevector(a, c, 0, 4, 1, 5);
  const Row ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7);
  const Row bd_low = __builtin_shufflevector(b, d, 0, 4, 1, 5);
  const Row bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ac_low, bd_low, 0, 4, 1, 5) * scale;
  b = __builtin_shufflevector(ac_low, bd_low, 2, 6, 3, 7) * scale;
  c = __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5) * scale;
  d = __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7) * scale;
  __builtin_memcpy(to, &a, sizeof(Row));
  __builtin_memcpy(to + to_step, &b, sizeof(Row));
  __builtin_memcpy(to + 2 * to_step, &c, sizeof(Row));
  __builtin_memcpy(to + 3 * to_step, &d, sizeof(Row));
}

template <class T>
void transpose(const T* from, int64_t from_step, T* to, int64_t to_step,
               int64_t rows, int64_t columns, T scale) {
  const int64_t whole_rows = rows - rows % kSide;
  const int64_t whole_columns = columns - columns % kSide;
  const auto one = [&](int64_t r, int64_t c) {
    to[c * to_step + r] = from[r * from_step + c] * scale;
  };
  for (int64_t c = 0; c < whole_columns; c += kSide) {
    for (int64_t r = 0; r < whole_rows; r += kSide) {
      transpose_square(from + r * from_step + c, from_step,
                       to + c * to_step + r, to_step, scale);
    }
  }
  for (int64_t r = 0; r < whole_rows; ++r) {
    for (int64_t c = whole_columns; c < columns; ++c) one(r, c);
  }
  for (int64_t r = whole_rows; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) one(r, c);
  }
}

}  // namespace

template <>
constinit const fft::FftLoops Kernels<fft::FftLoops>::table = {
    {run_stages<float>, transpose<float>},
    {run_stages<double>, transpose<double>}};

}  // namespace catena::kernels::CATENA_BACKEND
