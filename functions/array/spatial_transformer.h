#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

// The two halves of a spatial transformer network (Jaderberg, Simonyan,
// Zisserman, Kavukcuoglu: Spatial Transformer Networks, 2015).
namespace catena::functions {

// The sampling positions of affine maps, for output images of size (h, w),
// output_shape: theta is (N, 2, 3), floating; the result is (N, 2, h, w), x and
// y coordinates. Corners are at -1 and 1. Throws InvalidType when theta does
// not match, ValueError for sizes below 1.
Variable spatial_transformer_grid(const Variable& theta,
                                  const Spatial& output_shape);

// Samples images x (N, C, h, w) at the positions of a grid (N, 2, h', w') by
// bilinear interpolation; the result is (N, C, h', w'). Elements outside an
// image count as 0. Throws InvalidType when dtypes or shapes do not match.
Variable spatial_transformer_sampler(const Variable& x, const Variable& grid);

}  // namespace catena::functions
