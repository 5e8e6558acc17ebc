#pragma once

#include <string_view>

#include "catena/array/axis.h"
#include "catena/array/reduction/reduce.h"
#include "catena/autograd/variable.h"

namespace catena::functions {

// The implementation of max and min, reductions that select an element. `label`
// is a literal.
Variable extremum(std::string_view label,
                  Array (*reduce)(const Array&, const array::ReduceOptions&),
                  const Variable& x, const AxisSet& axis, bool keepdims);

}  // namespace catena::functions
