#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

// The two halves of a spatial transformer network (Jaderberg, Simonyan,
// Zisserman, Kavukcuoglu: Spatial Transformer Networks, 2015).
namespace catena::functions {

// The positions to which affine maps move the elements of an image of size
// (h, w), output_shape: theta is (N, 2, 3), floating, the result (N, 2, h, w),
// x and y positions. Corners are at -1 and 1. InvalidType when theta does not
// fit, ValueError for sizes below 1.
Variable spatial_transformer_grid(const Variable& theta,
                                  const Spatial& output_shape);

// The images x, (N, C, h, w), interpolated at the positions of the grid,
// (N, 2, h', w'); the result is (N, C, h', w'). Around an image there are
// zeros. The gradient of the grid cannot be differentiated again:
// NotImplementedError. InvalidType when dtypes or shapes do not fit.
Variable spatial_transformer_sampler(const Variable& x, const Variable& grid);

}  // namespace catena::functions
