#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct AsStridedOptions {
  NamedFieldsOnly keywords = {};
  int64_t storage_offset = 0;
};

// A view of x with the given shape, strides and offset, counted in elements.
// Elements may occur more than once; their gradients are summed. (Strides and
// offset count x's elements in C order; Chainer's count in x's underlying
// memory, which is the same for a contiguous x.) Any dtype. Throws ValueError
// when shape and strides differ in length or reach outside x.
Variable as_strided(const Variable& x, const Shape& shape,
                    const Strides& strides,
                    const AsStridedOptions& options = {});

}  // namespace catena::functions
