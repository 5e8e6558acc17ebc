#pragma once

#include <string_view>

#include "catena/array/array.h"

namespace catena::functions {

// Rearranges (N, C r r, H, W) to (N, C, H r, W r), and back.
Array blocks_from_channels(const Array& x, int64_t r);
Array channels_from_blocks(const Array& x, int64_t r);

// Throws ValueError naming the function unless r is positive.
void check_block(std::string_view label, int64_t r);

}  // namespace catena::functions
