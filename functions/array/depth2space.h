#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// (N, C r r, H, W) as (N, C, H r, W r): channel (i r + j) C + c of pixel (h, w)
// becomes channel c of pixel (h r + i, w r + j). X floating. InvalidType for
// another dtype or number of axes or channels that r r does not divide,
// ValueError unless r is positive.
Variable depth2space(const Variable& X, int64_t r);

}  // namespace catena::functions
