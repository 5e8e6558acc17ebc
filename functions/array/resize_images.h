#pragma once

#include <cstdint>
#include <string_view>

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct ResizeImagesOptions {
  NamedFieldsOnly keywords = {};
  // "bilinear" or "nearest".
  std::string_view mode = "bilinear";
  // Whether to align the centres of the corner elements rather than the corners
  // of the images. Has no effect on "nearest".
  bool align_corners = true;
};

// Resizes images (N, C, h, w) to (N, C, h', w'), where output_shape is (h',
// w'). x is floating. Throws InvalidType for any other dtype or number of axes
// or for empty images, ValueError for sizes below 1 or an unknown mode.
Variable resize_images(const Variable& x, const Spatial& output_shape,
                       const ResizeImagesOptions& options = {});

}  // namespace catena::functions
