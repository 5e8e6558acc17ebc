#pragma once

#include <cstdint>

#include "catena/array/array.h"
#include "catena/array/creation.h"

namespace catena::functions {

// An array of x's kind, (batch, heads, rows, size), whose heads and rows lie in
// memory in the order of x's.
inline Array empty_in_order_of(const Array& x, int64_t size) {
  const Shape& shape = x.shape();
  if (x.strides()[1] < x.strides()[2]) {
    return array::empty({shape[0], shape[2], shape[1], size}, x.dtype(),
                        x.device())
        .transpose({0, 2, 1, 3});
  }
  return array::empty({shape[0], shape[1], shape[2], size}, x.dtype(),
                      x.device());
}

}  // namespace catena::functions
