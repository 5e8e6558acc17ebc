#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The elements of x, in C order, along one axis; x itself when it has one. A
// view where the layout allows. Any dtype.
Variable flatten(const Variable& x);

}  // namespace catena::functions
