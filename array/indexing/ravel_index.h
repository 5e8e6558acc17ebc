#pragma once

#include <span>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/take.h"

// Conversion between multi-axis indices and positions in C order.
namespace catena::array {

// One int64 array of indices, of the shape of `positions`, per axis of `shape`.
// Throws DtypeError unless the positions are integers, IndexError for one
// outside [0, size of shape).
std::vector<Array> unravel_index(const Array& positions, const Shape& shape);

// The int64 positions of the elements indexed by the index arrays, one per axis
// of `shape`, which broadcast. With kRaise, the default, indices must be in [0,
// extent). Throws ValueError for a wrong number of arrays, DtypeError unless
// they are integers, IndexError naming index, axis and extent (on CUDA when the
// host next waits for the device), ShapeError.
Array ravel_multi_index(std::span<const Array> indices, const Shape& shape,
                        const IndexModeOptions& options = {});
inline Array ravel_multi_index(std::initializer_list<Array> indices,
                               const Shape& shape,
                               const IndexModeOptions& options = {}) {
  return ravel_multi_index(std::span(indices.begin(), indices.size()), shape,
                           options);
}

}  // namespace catena::array
