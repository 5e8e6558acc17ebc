#pragma once

#include "catena/array/array.h"

namespace catena::initializers {

enum class OrthogonalMode {
  kAuto,   // rows, or where there are more rows than columns, columns
  kBasis,  // rows; ShapeError where there are more rows than columns
};

// Orthogonal vectors of length `scale`, uniformly distributed: the rows of the
// matrix (out, in * k...) that a weight (out, in, k...) is, or its columns
// (Saxe et al., 2014). Without axes a random sign. ValueError when the scale is
// negative or not finite, ShapeError for an array without elements.
struct Orthogonal {
  explicit Orthogonal(double scale = 1.1,
                      OrthogonalMode mode = OrthogonalMode::kAuto);
  double scale;
  OrthogonalMode mode;
  void operator()(const Array& out) const;
};

}  // namespace catena::initializers
