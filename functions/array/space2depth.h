#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Rearranges r x r blocks of pixels into channels, (N, C, H r, W r) to (N, C r
// r, H, W), the inverse of depth2space: channel c of pixel (h r + i, w r + j)
// becomes channel (i r + j) C + c of pixel (h, w). X is floating. Throws
// InvalidType for any other dtype or number of axes, or when r does not divide
// the extents; ValueError unless r is positive.
Variable space2depth(const Variable& X, int64_t r);

}  // namespace catena::functions
