#pragma once

#include <cstdint>

namespace catena::array::cpu {

// Results of so many bytes, or more, are written past the caches: they would
// only evict what is there.
inline constexpr int64_t kStreamBytes = 8 << 20;

}  // namespace catena::array::cpu
