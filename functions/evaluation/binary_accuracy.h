#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The part of the elements of y whose sign says their label: y >= 0 means 1. t
// is of y's shape, integers, 0 or 1, or -1 for elements that do not count. The
// result is 0-d, of y's dtype; 0 when none counts. No gradient. InvalidType
// when dtypes or shapes do not fit.
Variable binary_accuracy(const Variable& y, const Variable& t);
Variable binary_accuracy(const Variable& y, const Array& t);

}  // namespace catena::functions
