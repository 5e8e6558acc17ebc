#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct DropoutOptions {
  // The probability with which an element is dropped.
  double ratio = 0.5;
  // What x is multiplied by: 0 or 1 / (1 - ratio), of x's shape and dtype.
  // Drawn from the generator of x's device when undefined.
  Array mask = {};
  // Where the mask is put that was used; undefined in test mode.
  Array* return_mask = nullptr;
};

// Drops elements of x at random and scales the others by 1 / (1 - ratio), so
// that the mean stays, while config().train; else x itself. x floating.
// InvalidType for another dtype or a mask that is not like x, ValueError unless
// ratio is in [0, 1).
Variable dropout(const Variable& x, const DropoutOptions& options = {});

}  // namespace catena::functions
