#pragma once

#include "catena/array/array.h"
#include "catena/functions/internal/window.h"

namespace catena::functions {

// What the window sees: x (N, C, d...) to (N, C * k, o...), where o is out_size
// and k the product of ksize, in whose C order its elements stand. Elements
// outside of x are 0. On any device.
Array image_to_columns(const Array& x, const Window& window,
                       const Shape& out_size);

// The transpose of that linear map: the sums of what is at each place of the
// image (N, C, size...). 16-bit floats are added up in float32.
Array columns_to_image(const Array& columns, const Window& window,
                       const Shape& size);

}  // namespace catena::functions
