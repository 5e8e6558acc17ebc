#include "catena/array/fft/fft_plan.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "catena/array/kernels/kernel_slot.h"

namespace catena::array::fft {
namespace {

// Plans of longer transforms are not cached, to save memory, although creating
// them takes longer than the transform.
constexpr int64_t kLongestKept = int64_t{1} << 20;

// cos and -sin of 2 pi i / n, accurate for every i: reduced to an angle of at
// most pi / 4, from which they differ only in sign and order.
std::pair<double, double> root(int64_t i, int64_t n) {
  const int64_t eighths = 8 * (i % n);  // n of them are an eighth of a turn
  const int64_t octant = eighths / n;
  const int64_t rest = eighths % n;
  const auto part = static_cast<double>(octant % 2 == 0 ? rest : n - rest);
  const double angle = std::numbers::pi / 4 * (part / static_cast<double>(n));
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  switch (octant) {
    case 0:
      return {c, -s};
    case 1:
      return {s, -c};
    case 2:
      return {-s, -c};
    case 3:
      return {-c, -s};
    case 4:
      return {-c, s};
    case 5:
      return {-s, c};
    case 6:
      return {s, c};
    default:
      return {c, s};
  }
}

std::vector<int> radices_of(int64_t length) {
  std::vector<int> radices;
  for (const int radix : kRadices) {
    for (; length % radix == 0; length /= radix) radices.push_back(radix);
  }
  if (length != 1) radices.clear();
  return radices;
}

// The smallest sufficient length among 2^i, 3 2^i and 5 2^i.
int64_t length_of_convolution(int64_t length) {
  int64_t best = 0;
  for (const int64_t factor : {1, 3, 5}) {
    int64_t candidate = factor;
    while (candidate < 2 * length - 1) candidate *= 2;
    if (best == 0 || candidate < best) best = candidate;
  }
  return best;
}

}  // namespace

bool is_smooth(int64_t length) {
  return length == 1 || !radices_of(length).empty();
}

template <class T>
SmoothPlan<T>::SmoothPlan(int64_t length) : length_(length) {
  const std::vector<int> radices = radices_of(length);
  int64_t n = length;
  for (const int radix : radices) {
    const int64_t m = n / radix;
    for (int64_t p = 0; p < m; ++p) {
      for (int j = 1; j < radix; ++j) {
        const auto [c, s] = root(p * j, n);
        twiddles_.push_back(static_cast<T>(c));
        twiddles_.push_back(static_cast<T>(s));
      }
    }
    n = m;
  }
  n = length;
  const T* next = twiddles_.data();
  for (const int radix : radices) {
    stages_.push_back({radix, next});
    n /= radix;
    next += n * (radix - 1) * 2;
  }
}

template <class T>
FftPlan<T>::FftPlan(int64_t length)
    : length_(length),
      smooth_(is_smooth(length) ? length : length_of_convolution(length)) {
  if (is_smooth(length)) return;
  const int64_t n = smooth_.length();
  const auto size = static_cast<size_t>(n);
  std::vector<T> work_real[2] = {std::vector<T>(size), std::vector<T>(size)};
  std::vector<T> work_imag[2] = {std::vector<T>(size), std::vector<T>(size)};
  for (int64_t k = 0; k < length; ++k) {
    // k^2 / 2 turns of 1 / N, without overflow.
    const auto [c, s] =
        root(static_cast<int64_t>(static_cast<unsigned __int128>(k) * k %
                                  (2 * static_cast<unsigned __int128>(length))),
             2 * length);
    chirp_real_.push_back(static_cast<T>(c));
    chirp_imag_.push_back(static_cast<T>(s));
    for (const int64_t place : {k, k == 0 ? 0 : n - k}) {
      work_real[0][place] = static_cast<T>(c / static_cast<double>(n));
      work_imag[0][place] = static_cast<T>(-s / static_cast<double>(n));
    }
  }
  const int result = fft_loops<T>().transform(
      {.stages = smooth_.stages(),
       .length = n,
       .rows = 1,
       .real = {work_real[0].data(), work_real[1].data()},
       .imag = {work_imag[0].data(), work_imag[1].data()}});
  filter_real_ = std::move(work_real[result]);
  filter_imag_ = std::move(work_imag[result]);
}

template <class T>
std::shared_ptr<const FftPlan<T>> fft_plan(int64_t length) {
  thread_local std::shared_ptr<const FftPlan<T>> kept;
  if (kept == nullptr || kept->length() != length) {
    auto made = std::make_shared<const FftPlan<T>>(length);
    if (length > kLongestKept) return made;
    kept = std::move(made);
  }
  return kept;
}

template <class T>
const FftLoopsOf<T>& fft_loops() {
  const FftLoops& loops = kernel_slot<FftLoops>.on(native_device());
  if constexpr (std::is_same_v<T, float>) {
    return loops.of_float;
  } else {
    return loops.of_double;
  }
}

template class SmoothPlan<float>;
template class SmoothPlan<double>;
template class FftPlan<float>;
template class FftPlan<double>;
template std::shared_ptr<const FftPlan<float>> fft_plan(int64_t length);
template std::shared_ptr<const FftPlan<double>> fft_plan(int64_t length);
template const FftLoopsOf<float>& fft_loops();
template const FftLoopsOf<double>& fft_loops();

}  // namespace catena::array::fft
