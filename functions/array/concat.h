#pragma once

#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct ConcatOptions {
  int64_t axis = 1;
};

// Concatenates variables along an existing axis, by default the second, as in
// Chainer. Any dtype. Throws InvalidType when there are no variables, the axis
// is out of range, or dtypes or other extents differ.
Variable concat(std::span<const Variable> xs,
                const ConcatOptions& options = {});
Variable concat(std::initializer_list<Variable> xs,
                const ConcatOptions& options = {});

}  // namespace catena::functions
