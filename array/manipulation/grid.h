#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "catena/array/array.h"

// Coordinates of grids.
namespace catena::array {

// Index arrays for the cross product: array i along axis i and of extent 1
// along the others, so that getitem(a, {g[0], g[1]}) has all rows with all
// columns. A bool array stands for flatnonzero of it. ShapeError unless each
// has one axis, DtypeError unless they are integers or bool.
std::vector<Array> ix_(std::span<const Array> arrays);
inline std::vector<Array> ix_(std::initializer_list<Array> arrays) {
  return ix_(std::span(arrays.begin(), arrays.size()));
}

enum class GridIndexing : uint8_t {
  kXY,  // the first array runs along the second axis, the second along the
        // first
  kIJ,  // array i runs along axis i
};
struct MeshgridOptions {
  GridIndexing indexing = GridIndexing::kXY;
  bool sparse = false;  // extent 1 where an array does not run
  bool copy = true;     // else read-only views
};
// The coordinates of every point of a grid, one array for each axis. The arrays
// have one axis or none (a single point); ShapeError.
std::vector<Array> meshgrid(std::span<const Array> arrays,
                            const MeshgridOptions& options = {});
inline std::vector<Array> meshgrid(std::initializer_list<Array> arrays,
                                   const MeshgridOptions& options = {}) {
  return meshgrid(std::span(arrays.begin(), arrays.size()), options);
}

}  // namespace catena::array
