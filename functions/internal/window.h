#pragma once

#include <optional>
#include <string_view>

#include "catena/array/shape.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

// Where a window that moves over the spatial axes of an image looks: one number
// for each of these axes.
struct Window {
  Shape ksize;
  Shape stride;
  Shape pad;
  Shape dilate;
};

// How a function was called whose window moves over images (N, C, d...).
struct WindowCall {
  std::string_view function;  // for messages
  Spatial ksize;
  std::optional<Spatial> stride = std::nullopt;  // defaults to ksize
  Spatial pad = 0;
  bool cover_all = false;
  // The spatial axes that x must have; if absent, any number above 0.
  std::optional<int> ndim = std::nullopt;
  Spatial dilate = 1;

  // The window on images with `axes` spatial axes. ValueError when a size has
  // another number of axes or is out of range.
  Window window(int axes) const;
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
