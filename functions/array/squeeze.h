#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/axes.h"

namespace catena::functions {

// x without the given axes of extent 1, by default all of them; a view. Any
// dtype. Throws InvalidType when an axis is out of range or has another extent,
// ValueError when one is repeated.
Variable squeeze(const Variable& x, const AxisSet& axis = {});

}  // namespace catena::functions
