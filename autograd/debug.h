#pragma once

#include <string_view>

#include "catena/array/array.h"

namespace catena {

// Throws GradientError naming the function and the phase ("forward",
// "backward") when a floating array contains NaN. Waits for the device.
void check_no_nan(const Array& data, std::string_view function,
                  std::string_view phase);

}  // namespace catena
