#pragma once

#include <cmath>
#include <cstdint>

// Sums that don't depend on the order of their terms, for threads that add to
// the same elements.
namespace catena::kernels::CATENA_BACKEND {

// A sum of fewer than 2^31 floats or doubles. Zeros to begin with; then all
// threads announce their terms, in a kernel of its own, and then add them, in
// any order. Terms are counted in units of 2^-31 (float) or 2^-63 (double) of
// the power of two below the largest magnitude, as integers, whose sum is
// exact.
template <class T>
class ExactSum {
 public:
  __device__ void announce(T x) {
    if (!std::isfinite(x)) {
      atomicOr(&special_, std::isnan(x) ? kNan : x > 0 ? kPlus : kMinus);
    } else if (x != 0) {
      const int exponent = std::ilogb(x) + kOffset;
      // Never decreases, so that an old value is only a lower bound.
      if (exponent_ < exponent) atomicMax(&exponent_, exponent);
    }
  }

  __device__ void add(T x) {
    if (!std::isfinite(x) || x == 0) return;
    T scaled = std::scalbn(x, 31 - (exponent_ - kOffset));
    for (int i = 0; i < kWords; ++i) {
      const T units = std::rint(scaled);
      // Negative terms wrap around, and so does their sum.
      if (units != 0) {
        atomicAdd(&words_[i], static_cast<unsigned long long>(
                                  static_cast<long long>(units)));
      }
      scaled = std::scalbn(scaled - units, 32);
    }
  }

  __device__ T value() const {
    if (special_ != 0) {
      return special_ == kPlus    ? T(INFINITY)
             : special_ == kMinus ? T(-INFINITY)
                                  : T(NAN);
    }
    double sum = 0;
    for (int i = kWords - 1; i >= 0; --i) {
      const auto units = static_cast<double>(static_cast<long long>(words_[i]));
      sum += std::scalbn(units, exponent_ - kOffset - 31 - 32 * i);
    }
    return static_cast<T>(sum);
  }

 private:
  static constexpr int kWords = sizeof(T) / 4;
  static constexpr int kOffset = 1 << 11;  // exponents are positive with it
  static constexpr int kPlus = 1;
  static constexpr int kMinus = 2;
  static constexpr int kNan = 4;

  int exponent_;  // of the largest term, plus kOffset; 0 if all are zero
  int special_;   // kPlus, kMinus and kNan of the terms
  unsigned long long words_[kWords];
};

}  // namespace catena::kernels::CATENA_BACKEND
