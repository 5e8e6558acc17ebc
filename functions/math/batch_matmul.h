#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/math/matmul.h"

namespace catena::functions {

// The matrix product of each sample: (B, m, k) by (B, k, n) gives (B, m, n). An
// operand (B, k) is B columns. Floating, of one dtype. InvalidType when numbers
// of axes, dtypes or shapes do not fit. (matmul does the same for any number of
// axes, but for columns.)
Variable batch_matmul(const Variable& a, const Variable& b,
                      const MatmulOptions& options = {});

}  // namespace catena::functions
