#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// The fraction of elements of y whose sign predicts their label: y >= 0 means
// 1. t has y's shape and holds the integers 0 or 1, or -1 for elements to
// ignore. The result is 0-d, with y's dtype; 0 when every element is ignored.
// No gradient. Throws InvalidType when dtypes or shapes do not match.
Variable binary_accuracy(const Variable& y, const Variable& t);
Variable binary_accuracy(const Variable& y, const Array& t);

}  // namespace catena::functions
