#include "catena/functions/plan/internal/weights_checksum.h"

#include <cstring>

#include "catena/array/kernels/kernel_definition.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

constexpr int64_t kLine = 64;
// Independent sums, of a line each, hide the latency of their steps.
constexpr int kSums = 4;

typedef uint64_t Line __attribute__((vector_size(kLine)));

[[gnu::always_inline]] inline void take(const char* data, int64_t bytes,
                                        Line& sum) {
  Line words = {};
  std::memcpy(&words, data, static_cast<size_t>(bytes));
  const Line mixed = sum ^ words;
  sum = ((mixed << 29) | (mixed >> 35)) + 0x9e3779b97f4a7c15;
}

uint64_t checksum(const char* data, int64_t bytes, int64_t step) {
  Line sums[kSums] = {};
  int64_t i = 0;
  for (; i + (kSums - 1) * step + kLine <= bytes; i += kSums * step) {
    for (int k = 0; k < kSums; ++k) {
      take(data + i + k * step, kLine, sums[k]);
    }
  }
  for (; i + kLine <= bytes; i += step) {
    take(data + i, kLine, sums[0]);
  }
  if (i < bytes) take(data + i, bytes - i, sums[0]);
  uint64_t all = 0;
  for (const Line& sum : sums) {
    for (int k = 0; k < 8; ++k) {
      all = (all ^ sum[k]) * 0x9e3779b97f4a7c15;
      all ^= all >> 32;
    }
  }
  return all;
}

}  // namespace

template <>
constinit const functions::WeightsChecksum
    Kernels<functions::WeightsChecksum>::table = {checksum};

}  // namespace catena::kernels::CATENA_BACKEND
