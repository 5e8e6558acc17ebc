#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/array/array.h"
#include "catena/functions/loss/internal/row_labels.h"

// Arrays of class numbers.
namespace catena::functions {

// How many labels there are besides those that equal `ignored`, if that is
// given. ValueError naming the operation, the label and the number of classes
// when one of these is not in [0, classes). Waits for the device.
int64_t count_labels(const Array& labels, int64_t classes,
                     std::optional<int64_t> ignored,
                     std::string_view operation);

// The error of count_labels.
[[noreturn]] void raise_bad_label(std::string_view operation, int64_t label,
                                  int64_t classes,
                                  std::optional<int64_t> ignored);

// A copy for kernels, int32 or int64 and contiguous: what has been checked must
// not change any more, since kernels read and write where it points.
Array copy_labels(const Array& labels);
RowLabels row_labels(const Array& copied, int64_t ignored = -1);

}  // namespace catena::functions
