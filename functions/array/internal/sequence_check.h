#pragma once

#include "catena/autograd/type_check.h"

namespace catena::functions {

// Throws InvalidType unless there are inputs (length_i, ...) of the same dtype
// whose shapes differ in the first extent only.
void expect_sequences(const TypeCheck& in);

}  // namespace catena::functions
