#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// x with the axes `source` moved to the positions `destination`; the other axes
// keep their order. A view. Any dtype. Throws InvalidType when an axis is out
// of range, ValueError when the lists differ in length or repeat an axis.
Variable moveaxis(const Variable& x, const Axes& source,
                  const Axes& destination);
inline Variable moveaxis(const Variable& x, int64_t source,
                         int64_t destination) {
  return moveaxis(x, Axes{source}, Axes{destination});
}

}  // namespace catena::functions
