#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/kernels/kernel_slot.h"

namespace catena::functions {

// Checksums of weights, as fast as memory is read. Each step of a sum is a
// bijection of the sum and of the word it takes in, so every change of a single
// word is noticed, and any other except by a chance of 2^-64. Not a defence
// against those who want a collision.
struct WeightsChecksum {
  static constexpr std::string_view kName = "weights_checksum";
  using Table = WeightsChecksum;
  // Reads the cache lines that begin `step` bytes apart, and the last, partial
  // one.
  uint64_t (*run)(const char* data, int64_t bytes, int64_t step);
};

}  // namespace catena::functions
