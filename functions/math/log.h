#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// y = ln(x), elementwise: -inf at 0, NaN below. Any shape; x floating, else
// InvalidType.
Variable log(const Variable& x);

// The logarithms to base 2 and 10, likewise.
Variable log2(const Variable& x);
Variable log10(const Variable& x);

}  // namespace catena::functions
