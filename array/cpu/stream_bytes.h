#pragma once

#include <cstdint>

namespace catena::cpu {

// Results of at least so many bytes are written by non-temporal stores: in the
// caches they would only evict what is there.
inline constexpr int64_t kStreamBytes = 8 << 20;

}  // namespace catena::cpu
