#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/axes.h"

namespace catena::functions {

// y = log(sum(exp(x))) over axes, which y lacks, computed without overflow;
// -inf over no elements. x floating. InvalidType for an axis out of range or
// another dtype, ValueError for an axis that is named twice.
Variable logsumexp(const Variable& x, const AxisSet& axis = {});

}  // namespace catena::functions
