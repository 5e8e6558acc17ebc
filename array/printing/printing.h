#pragma once

#include <string>

#include "catena/array/array.h"
#include "catena/array/printing/print_options.h"

namespace catena::array {

// "array([1., 2.], dtype=float32)": NumPy's text, byte for byte. bfloat16
// prints like the other floats. Arrays on other devices are copied to the host.
// Throws ValueError for a precision below 0 or above 4096, or edgeitems below
// 1.
std::string array_repr(const Array& a, const PrintOptions& options = {});

// "[1. 2.]"; for a 0-d array its element, "1.0". NumPy's max_line_width and
// suppress_small are the options' linewidth and suppress.
std::string array_str(const Array& a, const PrintOptions& options = {});

}  // namespace catena::array
