#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// (N, C, H r, W r) as (N, C r r, H, W), the inverse of depth2space: channel c
// of pixel (h r + i, w r + j) becomes channel (i r + j) C + c of pixel (h, w).
// X floating. InvalidType for another dtype or number of axes or extents that r
// does not divide, ValueError unless r is positive.
Variable space2depth(const Variable& X, int64_t r);

}  // namespace catena::functions
