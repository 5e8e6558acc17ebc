#pragma once

#include <cstdint>

#include "catena/array/core/host_device.h"

namespace catena::cuda {

// Division by a divisor that is constant in a kernel, by a multiplication and a
// shift (Granlund and Montgomery, 1994). Dividends are in [0, 2^31 - 1],
// divisors in [1, 2^31 - 1].
class FastDivider {
 public:
  FastDivider() = default;
  explicit FastDivider(uint32_t divisor) : divisor_(divisor) {
    while ((uint64_t{1} << shift_) < divisor) ++shift_;
    const uint64_t excess = (uint64_t{1} << shift_) - divisor;
    multiplier_ = static_cast<uint32_t>((excess << 32) / divisor + 1);
  }

  CATENA_HOST_DEVICE uint32_t divisor() const { return divisor_; }
  CATENA_HOST_DEVICE uint32_t divide(uint32_t n) const {
    const auto high =
        static_cast<uint32_t>((static_cast<uint64_t>(n) * multiplier_) >> 32);
    return (high + n) >> shift_;
  }

 private:
  uint32_t divisor_ = 1;
  uint32_t multiplier_ = 1;
  uint32_t shift_ = 0;
};

// Division of any index by any divisor >= 1, in the same way: with 64 bits only
// where 32 are too few.
class IndexDivider {
 public:
  IndexDivider() = default;
  explicit IndexDivider(int64_t divisor)
      : fast_(static_cast<uint32_t>(divisor <= kMaxFast ? divisor : 1)),
        divisor_(divisor) {
    const auto unsigned_divisor = static_cast<uint64_t>(divisor);
    while ((uint64_t{1} << shift_) < unsigned_divisor) ++shift_;
    const uint64_t excess = (uint64_t{1} << shift_) - unsigned_divisor;
    multiplier_ =
        static_cast<uint64_t>((Wide{excess} << 64) / unsigned_divisor + 1);
  }

  CATENA_HOST_DEVICE int64_t divisor() const { return divisor_; }
  CATENA_HOST_DEVICE int64_t divide(int64_t n) const {
    if (n <= kMaxFast && divisor_ <= kMaxFast) {
      return fast_.divide(static_cast<uint32_t>(n));
    }
    const auto dividend = static_cast<uint64_t>(n);
    const auto high =
        static_cast<uint64_t>((Wide{dividend} * multiplier_) >> 64);
    return static_cast<int64_t>((high + dividend) >> shift_);
  }

 private:
  using Wide = unsigned __int128;
  static constexpr int64_t kMaxFast = 0x7fffffff;

  FastDivider fast_;
  uint32_t shift_ = 0;
  uint64_t multiplier_ = 1;
  int64_t divisor_ = 1;
};

}  // namespace catena::cuda
