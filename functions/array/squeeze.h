#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/axes.h"

namespace catena::functions {

// x without the axes, or without all that have extent 1; a view. Any dtype.
// InvalidType when an axis is out of range or has another extent, ValueError
// when one is named twice.
Variable squeeze(const Variable& x, const AxisSet& axis = {});

}  // namespace catena::functions
