#pragma once

#include <cstdint>
#include <string_view>

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

struct ResizeImagesOptions {
  // "bilinear" or "nearest".
  std::string_view mode = "bilinear";
  // Whether the centres of the corner elements stay where they are, else the
  // corners of the image do. Of "nearest" it changes nothing.
  bool align_corners = true;
};

// Images (N, C, h, w) at another size: (N, C, h', w') for output_shape (h',
// w'). x floating. InvalidType for another dtype or number of axes or images
// without elements, ValueError for sizes below 1 or another mode.
Variable resize_images(const Variable& x, const Spatial& output_shape,
                       const ResizeImagesOptions& options = {});

}  // namespace catena::functions
