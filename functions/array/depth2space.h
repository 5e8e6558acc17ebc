#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// Rearranges channels into r x r blocks of pixels, (N, C r r, H, W) to (N, C, H
// r, W r): channel (i r + j) C + c of pixel (h, w) becomes channel c of pixel
// (h r + i, w r + j). X is floating. Throws InvalidType for any other dtype or
// number of axes, or when r r does not divide the number of channels;
// ValueError unless r is positive.
Variable depth2space(const Variable& X, int64_t r);

}  // namespace catena::functions
