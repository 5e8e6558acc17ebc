#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "catena/array/array.h"

// Grid coordinates.
namespace catena::array {

// Index arrays for the cross product: array i varies along axis i and has
// extent 1 along the others, so that getitem(a, {g[0], g[1]}) selects every
// pair of row and column. A bool array is replaced by its flatnonzero. Throws
// ShapeError unless each is 1-d, DtypeError unless they are integers or bool.
std::vector<Array> ix_(std::span<const Array> arrays);
inline std::vector<Array> ix_(std::initializer_list<Array> arrays) {
  return ix_(std::span(arrays.begin(), arrays.size()));
}

// How the axes of a grid are ordered.
enum class GridIndexing : uint8_t {
  kXY,  // the first array varies along the second axis, the second along
        // the first
  kIJ,  // array i varies along axis i
};
struct MeshgridOptions {
  NamedFieldsOnly keywords = {};
  GridIndexing indexing = GridIndexing::kXY;
  bool sparse = false;  // extent 1 along axes where an array is constant
  bool copy = true;     // else read-only views
};
// The coordinates of all points of a grid, one array per axis. Throws
// ShapeError unless the inputs are 1-d, or 0-d for a single point.
std::vector<Array> meshgrid(std::span<const Array> arrays,
                            const MeshgridOptions& options = {});
inline std::vector<Array> meshgrid(std::initializer_list<Array> arrays,
                                   const MeshgridOptions& options = {}) {
  return meshgrid(std::span(arrays.begin(), arrays.size()), options);
}

}  // namespace catena::array
