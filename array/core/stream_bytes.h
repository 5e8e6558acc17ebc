#pragma once

#include <cstdint>

namespace catena::cpu {

// Results of at least this many bytes are written with non-temporal stores,
// since they would only evict other data from the caches.
inline constexpr int64_t kStreamBytes = 8 << 20;

}  // namespace catena::cpu
