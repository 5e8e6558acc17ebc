#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/array.h"

// Arrays of class numbers.
namespace catena::functions {

// How many labels there are besides those that equal `ignored`. ValueError
// naming the operation and the label when one of these is not in [0, classes).
// Waits for the device.
int64_t count_labels(const Array& labels, int64_t classes, int64_t ignored,
                     std::string_view operation);

}  // namespace catena::functions
