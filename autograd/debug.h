#pragma once

#include <string_view>

#include "catena/array/array.h"
#include "catena/autograd/call_stack.h"

namespace catena {

// Throws GradientError naming the function and the phase ("forward",
// "backward") when a floating array contains NaN, and who applied the function.
// Waits for the device.
void check_no_nan(const Array& data, std::string_view function,
                  std::string_view phase, const CallStack& applied = {});

}  // namespace catena
