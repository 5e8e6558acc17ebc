#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/array/array.h"
#include "catena/functions/loss/internal/row_labels.h"

// Arrays of class labels.
namespace catena::functions {

// The number of labels that do not equal `ignored`, if given. Throws ValueError
// naming the operation, the label and the number of classes when one of them is
// not in [0, classes). Waits for the device.
int64_t count_labels(const Array& labels, int64_t classes,
                     std::optional<int64_t> ignored,
                     std::string_view operation);

// Throws the error of count_labels.
[[noreturn]] void raise_bad_label(std::string_view operation, int64_t label,
                                  int64_t classes,
                                  std::optional<int64_t> ignored);

// A contiguous int32 or int64 copy for kernels: checked labels must not change
// afterwards, since kernels use them as indices.
Array copy_labels(const Array& labels);
RowLabels row_labels(const Array& copied, int64_t ignored = -1);

}  // namespace catena::functions
