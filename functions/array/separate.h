#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct SeparateOptions {
  int64_t axis = 0;
};

// The slices of x along an axis, without that axis, as views: the inverse of
// stack. Any dtype. InvalidType when the axis is out of range.
Variables separate(const Variable& x, const SeparateOptions& options = {});

}  // namespace catena::functions
