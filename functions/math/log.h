#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The natural logarithm, elementwise: -inf at 0, NaN below. x: any shape,
// floating dtype; otherwise InvalidType.
Variable log(const Variable& x);

// The logarithm to base 2, elementwise, otherwise like log.
Variable log2(const Variable& x);
// The logarithm to base 10, elementwise, otherwise like log.
Variable log10(const Variable& x);

}  // namespace catena::functions
