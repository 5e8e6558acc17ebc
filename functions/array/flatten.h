#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x reshaped to one axis, in C order; x itself if it has one axis. A view if
// the memory layout allows. Any dtype.
Variable flatten(const Variable& x);

}  // namespace catena::functions
