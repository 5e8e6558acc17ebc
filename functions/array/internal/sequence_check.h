#pragma once

#include "catena/autograd/type_check.h"

namespace catena::functions {

// InvalidType unless there are inputs (length_i, ...) of one dtype that differ
// in the first extent alone.
void expect_sequences(const TypeCheck& in);

}  // namespace catena::functions
