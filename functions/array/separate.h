#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct SeparateOptions {
  int64_t axis = 0;
};

// Splits x into its slices along an axis, which is removed; views. The inverse
// of stack. Any dtype. Throws InvalidType when the axis is out of range.
Variables separate(const Variable& x, const SeparateOptions& options = {});

}  // namespace catena::functions
