#pragma once

#include <cstdint>

#include "catena/array/core/host_device.h"

// Philox4x32-10, a counter-based generator: ten rounds of multiplications turn
// a counter and a key into 128 random bits, so that the n-th number of a stream
// costs no more than the first. (Salmon, Moraes, Dror and Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011.)
namespace catena::array {

inline constexpr int kPhiloxRounds = 10;
inline constexpr uint32_t kPhiloxFactor0 = 0xD2511F53;
inline constexpr uint32_t kPhiloxFactor1 = 0xCD9E8D57;
inline constexpr uint32_t kPhiloxKeyStep0 = 0x9E3779B9;
inline constexpr uint32_t kPhiloxKeyStep1 = 0xBB67AE85;

struct PhiloxWords {
  uint32_t v[4];
};

// Ten rounds of Philox on a 128-bit counter, lowest word first.
CATENA_HOST_DEVICE constexpr PhiloxWords philox(PhiloxWords c, uint64_t key) {
  auto key_low = static_cast<uint32_t>(key);
  auto key_high = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const uint64_t a = uint64_t{kPhiloxFactor0} * c.v[0];
    const uint64_t b = uint64_t{kPhiloxFactor1} * c.v[2];
    c = {{static_cast<uint32_t>(b >> 32) ^ c.v[1] ^ key_low,
          static_cast<uint32_t>(b),
          static_cast<uint32_t>(a >> 32) ^ c.v[3] ^ key_high,
          static_cast<uint32_t>(a)}};
    key_low += kPhiloxKeyStep0;
    key_high += kPhiloxKeyStep1;
  }
  return c;
}

CATENA_HOST_DEVICE constexpr PhiloxWords philox(uint64_t counter,
                                                uint64_t key) {
  return philox({{static_cast<uint32_t>(counter),
                  static_cast<uint32_t>(counter >> 32), 0, 0}},
                key);
}

}  // namespace catena::array
