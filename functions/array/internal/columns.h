#pragma once

#include "catena/array/array.h"
#include "catena/functions/internal/window.h"

namespace catena::functions {

// Unfolds windows of x (N, C, d...) into columns (N, C * k, o...), where o is
// out_size and k the product of ksize; window elements are in C order. Elements
// outside x are 0. On any device.
Array image_to_columns(const Array& x, const Window& window,
                       const Shape& out_size);

// The adjoint of image_to_columns: sums the columns at each position of the
// image (N, C, size...). 16-bit floats are accumulated in float32.
Array columns_to_image(const Array& columns, const Window& window,
                       const Shape& size);

}  // namespace catena::functions
