#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/array/array.h"
#include "catena/functions/loss/internal/device_number.h"
#include "catena/functions/loss/internal/row_labels.h"

// Arrays of class labels.
namespace catena::functions {

// A copy of labels, checked: contiguous, int32 or int64, and -1 for those that
// are ignored. A GPU's labels are checked by its own kernels, and the host does
// not wait: wrong labels become -1, too, and the error comes later
// (array/core/deferred_errors.h), so every kernel must leave out -1.
class CheckedLabels {
 public:
  CheckedLabels() = default;
  // Labels must be in [0, classes) or equal `ignored`. Throws ValueError naming
  // the operation, the label and the number of classes.
  CheckedLabels(const Array& labels, int64_t classes,
                std::optional<int64_t> ignored, std::string_view operation);

  const Array& array() const { return labels_; }
  // For kernels; this object must stay alive.
  RowLabels rows() const {
    return {labels_.raw_data(), labels_.dtype() == Dtype::kInt64};
  }

  // Whether no label is -1, as far as the host knows.
  bool all_count() const { return all_count_; }
  // 1 / max(1, n), for the mean over the n labels that are not ignored.
  const DeviceNumber& reciprocal_count() const { return reciprocal_count_; }

 private:
  Array labels_;
  bool all_count_ = true;
  DeviceNumber reciprocal_count_;
};

// Throws the error of CheckedLabels.
[[noreturn]] void raise_bad_label(std::string_view operation, int64_t label,
                                  int64_t classes,
                                  std::optional<int64_t> ignored);

}  // namespace catena::functions
