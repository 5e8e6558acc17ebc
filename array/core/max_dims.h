#pragma once

namespace catena {

// The maximum number of axes of an array.
inline constexpr int kMaxDims = 8;

}  // namespace catena
