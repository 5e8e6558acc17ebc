#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct AsStridedOptions {
  int64_t storage_offset = 0;
};

// A view of x's elements in which neighbours along axis i of `shape` are
// strides[i] elements apart and the first one is number storage_offset;
// elements may be there several times, and their gradients add up. (Strides and
// offset count x's elements in C order; Chainer's count in the memory x lies
// in, which is the same for a contiguous x.) Any dtype. ValueError when shape
// and strides differ in length or reach an element that x does not have.
Variable as_strided(const Variable& x, const Shape& shape,
                    const Strides& strides,
                    const AsStridedOptions& options = {});

}  // namespace catena::functions
