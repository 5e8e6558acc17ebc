#include "catena/array/manipulation/grid.h"

#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/indexing/nonzero.h"
#include "catena/array/manipulation/broadcast.h"

namespace catena::array {
namespace {

// Reshapes a 1-d array to `ndim` axes, varying along `axis`.
Array along(const Array& a, int axis, int ndim) {
  Shape shape = Shape::filled(ndim, 1);
  shape[axis] = a.size();
  return a.reshape(shape);
}

}  // namespace

std::vector<Array> ix_(std::span<const Array> arrays) {
  const int ndim = static_cast<int>(arrays.size());
  std::vector<Array> grid;
  for (const Array& a : arrays) {
    if (a.ndim() != 1) {
      raise<ShapeError>("ix_: expected arrays with one axis, got shape ",
                        a.shape());
    }
    if (is_floating(a.dtype())) {
      raise<DtypeError>("ix_: expected integers or bool, got ", a.dtype());
    }
    const Array indices = a.dtype() == Dtype::kBool ? flatnonzero(a) : a;
    grid.push_back(along(indices, static_cast<int>(grid.size()), ndim));
  }
  return grid;
}

std::vector<Array> meshgrid(std::span<const Array> arrays,
                            const MeshgridOptions& options) {
  const int ndim = static_cast<int>(arrays.size());
  std::vector<Array> grid;
  for (const Array& a : arrays) {
    if (a.ndim() > 1) {
      raise<ShapeError>(
          "meshgrid: expected arrays with at most one axis, got "
          "shape ",
          a.shape());
    }
    int axis = static_cast<int>(grid.size());
    if (options.indexing == GridIndexing::kXY && ndim > 1 && axis < 2) {
      axis = 1 - axis;
    }
    grid.push_back(along(a, axis, ndim));
  }
  if (!options.sparse) grid = broadcast_arrays(grid);
  if (options.copy) {
    for (Array& a : grid) a = a.copy();
  }
  return grid;
}

}  // namespace catena::array
