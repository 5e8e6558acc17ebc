#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/math/matmul.h"

namespace catena::functions {

// The matrix product of each sample: (B, m, k) times (B, k, n) gives (B, m, n).
// An operand (B, k) counts as B column vectors. Both have the same floating
// dtype. Throws InvalidType when numbers of axes, dtypes or shapes do not
// match. (matmul takes any number of axes, but not column vectors.)
Variable batch_matmul(const Variable& a, const Variable& b,
                      const MatmulOptions& options = {});

}  // namespace catena::functions
