#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "catena/array/fft/fft_stages.h"

// Precomputed data of the CPU's Fourier transform for one length.
namespace catena::array::fft {

// Whether the length is a product of the radices.
bool is_smooth(int64_t length);

// The stages of a smooth length.
template <class T>
class SmoothPlan {
 public:
  explicit SmoothPlan(int64_t length);
  int64_t length() const { return length_; }
  const std::vector<FftStage<T>>& stages() const { return stages_; }

 private:
  int64_t length_;
  std::vector<T> twiddles_;
  std::vector<FftStage<T>> stages_;
};

// Any length. A length that is not smooth becomes a convolution: with n k =
// (n^2 + k^2 - (k - n)^2) / 2, element k of the result is c_k sum_n (x_n c_n)
// conj(c_(k
// - n)), where c_k = exp(-pi i k^2 / N).
template <class T>
class FftPlan {
 public:
  explicit FftPlan(int64_t length);

  int64_t length() const { return length_; }
  bool is_convolution() const { return !chirp_real_.empty(); }
  // The plan for the length, or for the convolution.
  const SmoothPlan<T>& smooth() const { return smooth_; }
  // c, and the transform of its conjugate extended to negative indices, divided
  // by the length of the convolution.
  const std::vector<T>& chirp_real() const { return chirp_real_; }
  const std::vector<T>& chirp_imag() const { return chirp_imag_; }
  const std::vector<T>& filter_real() const { return filter_real_; }
  const std::vector<T>& filter_imag() const { return filter_imag_; }

 private:
  int64_t length_;
  SmoothPlan<T> smooth_;
  std::vector<T> chirp_real_;
  std::vector<T> chirp_imag_;
  std::vector<T> filter_real_;
  std::vector<T> filter_imag_;
};

// The plan for a length. Each thread caches its last plan unless it is very
// long.
template <class T>
std::shared_ptr<const FftPlan<T>> fft_plan(int64_t length);

// The loops for the machine's instruction set.
template <class T>
const FftLoopsOf<T>& fft_loops();

extern template class SmoothPlan<float>;
extern template class SmoothPlan<double>;
extern template class FftPlan<float>;
extern template class FftPlan<double>;

}  // namespace catena::array::fft
