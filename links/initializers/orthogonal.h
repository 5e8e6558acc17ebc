#pragma once

#include "catena/array/array.h"

namespace catena::initializers {

// Which side of a rectangular matrix is orthogonal.
enum class OrthogonalMode {
  kAuto,   // rows, or columns if there are more rows than columns
  kBasis,  // rows; throws ShapeError when there are more rows than columns
};

// A random orthogonal matrix times `scale` (Saxe et al., 2014): the rows of a
// weight (out, in, k...) as a matrix (out, in * k...), or its columns, are
// orthogonal vectors of length `scale`. For a 0-d array, a random sign. Throws
// ValueError when the scale is not finite, ShapeError for an empty array.
struct Orthogonal {
  explicit Orthogonal(double scale = 1.1,
                      OrthogonalMode mode = OrthogonalMode::kAuto);
  double scale;
  OrthogonalMode mode;
  void operator()(const Array& out) const;
};

}  // namespace catena::initializers
