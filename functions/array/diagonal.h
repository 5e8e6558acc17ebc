#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct DiagonalOptions {
  NamedFieldsOnly keywords = {};
  int64_t offset = 0;
  int64_t axis1 = 0;
  int64_t axis2 = 1;
};

// The diagonal k = offset of the matrices spanned by axis1 and axis2, as a
// view; the diagonal becomes the last axis and replaces those two. Any dtype;
// the gradient is 0 off the diagonal. Throws InvalidType for fewer than two
// axes or an axis out of range, ValueError when both are the same.
Variable diagonal(const Variable& x, const DiagonalOptions& options = {});

}  // namespace catena::functions
