#pragma once

#include <span>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/take.h"

// Between indices along the axes of a shape and positions in C order.
namespace catena::array {

// One array of indices, like `positions` in shape, for each axis of `shape`;
// int64. DtypeError unless the positions are integers, IndexError for one
// outside [0, size of shape).
std::vector<Array> unravel_index(const Array& positions, const Shape& shape);

// The positions of what the index arrays, one for each axis of `shape`, point
// at; they broadcast against each other; int64. Under kRaise, the default, an
// index has to be in [0, extent). ValueError for another number of arrays,
// DtypeError unless they are integers, IndexError naming index, axis and
// extent, ShapeError.
Array ravel_multi_index(std::span<const Array> indices, const Shape& shape,
                        const TakeOptions& options = {});
inline Array ravel_multi_index(std::initializer_list<Array> indices,
                               const Shape& shape,
                               const TakeOptions& options = {}) {
  return ravel_multi_index(std::span(indices.begin(), indices.size()), shape,
                           options);
}

}  // namespace catena::array
