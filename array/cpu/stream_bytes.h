#pragma once

#include <cstdint>

namespace catena::array::cpu {

// Results of so many bytes, or more, are written past the caches, of which they
// would only push the other contents out.
inline constexpr int64_t kStreamBytes = 8 << 20;

}  // namespace catena::array::cpu
