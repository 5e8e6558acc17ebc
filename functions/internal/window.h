#pragma once

#include "catena/array/shape.h"
#include "catena/autograd/type_check.h"

namespace catena::functions {

// Where a window that moves over the spatial axes of an image looks: one number
// for each of these axes.
struct Window {
  Shape ksize;
  Shape stride;
  Shape pad;
  Shape dilate;
};

// Whether the window has one element, which sees nothing but the image; and
// whether it sees all of it.
bool is_unpadded_1x1(const Window& window);
bool is_pointwise(const Window& window);

// The spatial axes of an image's shape (N, C, d...).
Shape spatial_of(const Shape& shape);

// get_conv_outsize of each of the spatial extents.
Shape out_size_of(const Shape& size, const Window& window, bool cover_all);

// InvalidType, with the sizes, unless x, which has the spatial axes after two
// others, has room for the window on each.
void expect_window_fits(const TypeCheck& in, type_check::Input x,
                        const Window& window, bool cover_all);

}  // namespace catena::functions
