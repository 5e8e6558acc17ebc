#pragma once

#include <optional>
#include <string_view>

#include "catena/array/core/shape.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/spatial.h"

namespace catena::functions {

// A sliding window over the spatial axes of an image: one value per axis.
struct Window {
  Shape ksize;
  Shape stride;
  Shape pad;
  Shape dilate;
};

// The arguments of a function whose window moves over images (N, C, d...).
struct WindowCall {
  std::string_view function;  // for messages
  Spatial ksize;
  std::optional<Spatial> stride = std::nullopt;  // defaults to ksize
  Spatial pad = 0;
  bool cover_all = false;
  // The number of spatial axes that x must have; by default any positive
  // number.
  std::optional<int> ndim = std::nullopt;
  Spatial dilate = 1;

  // The window for images with `axes` spatial axes. Throws ValueError when a
  // size has the wrong number of axes or is out of range.
  Window window(int axes) const;
};

// Whether the window has one element and no padding; and whether it also has
// stride 1.
bool is_unpadded_1x1(const Window& window);
bool is_pointwise(const Window& window);

// The spatial axes of an image's shape (N, C, d...).
Shape spatial_of(const Shape& shape);

// get_conv_outsize of each of the spatial extents.
Shape out_size_of(const Shape& size, const Window& window, bool cover_all);

// Throws InvalidType, reporting the sizes, unless the window fits into each
// spatial axis of x (N, C, d...).
void expect_window_fits(const TypeCheck& in, type_check::Input x,
                        const Window& window, bool cover_all);

}  // namespace catena::functions
