#pragma once

#include <cstdint>
#include <string_view>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct SpatialPyramidPooling2DOptions {
  NamedFieldsOnly keywords = {};
  // The kind of pooling; "max" is the only one.
  std::string_view pooling = "max";
};

// Max pooling over grids of 1, 4, 16, ... bins, concatenated: an image (N, C,
// h, w) of any size becomes (N, C (1 + 4 + ... + 4^(height - 1)), 1, 1). Bins
// are as equal in size as ksize and padding allow.
//
// Throws InvalidType unless x is floating with 4 axes, ValueError for a height
// below 1 or any other kind of pooling.
//
// He, Zhang, Ren, Sun: Spatial Pyramid Pooling in Deep Convolutional Networks
// for Visual Recognition, 2014.
Variable spatial_pyramid_pooling_2d(
    const Variable& x, int64_t pyramid_height,
    const SpatialPyramidPooling2DOptions& options = {});

}  // namespace catena::functions
