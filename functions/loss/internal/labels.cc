#include "catena/functions/loss/internal/labels.h"

#include <algorithm>
#include <string>

#include "catena/array/core/deferred_errors.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/loss/internal/label_kernel.h"

namespace catena::functions {
namespace {

std::string describe(std::string_view operation, const int64_t* numbers) {
  const int64_t label = numbers[0];
  const int64_t classes = numbers[1];
  const bool ignores = numbers[2] != 0;
  const std::string exception =
      ignores ? str(" or ", numbers[3], ", which is ignored") : "";
  return str(operation, ": expected labels from 0 to ", classes - 1, exception,
             ", got ", label, " for ", classes, " classes");
}

constexpr DeferredError kBadLabel = {describe, throw_error<ValueError>};

}  // namespace

void raise_bad_label(std::string_view operation, int64_t label, int64_t classes,
                     std::optional<int64_t> ignored) {
  const int64_t numbers[] = {label, classes, ignored.has_value(),
                             ignored.value_or(0)};
  throw ValueError(describe(operation, numbers));
}

CheckedLabels::CheckedLabels(const Array& labels, int64_t classes,
                             std::optional<int64_t> ignored,
                             std::string_view operation) {
  const Dtype dtype =
      labels.dtype() == Dtype::kInt32 ? Dtype::kInt32 : Dtype::kInt64;
  const Array plain =
      labels.astype(dtype, Array::CopyPolicy::kIfNeeded).contiguous();
  labels_ = array::empty(labels.shape(), dtype, labels.device());
  if (labels.size() == 0) return;
  const bool on_host = labels.device().shares_host_memory();
  Array reciprocal;
  if (!on_host && ignored) {
    reciprocal = array::empty({}, Dtype::kFloat64, labels.device());
  }
  const std::optional<int64_t> count =
      kernel_slot<LabelKernels>.on(labels.device())
          .check({.device = labels.device(),
                  .is_64_bit = dtype == Dtype::kInt64,
                  .labels = plain.raw_data(),
                  .size = labels.size(),
                  .classes = classes,
                  .ignored = ignored,
                  .operation = operation,
                  .error = &kBadLabel,
                  .valid = labels_.raw_data()},
                 reciprocal.defined() ? reciprocal.data<double>() : nullptr);
  if (reciprocal.defined()) {
    all_count_ = false;
    reciprocal_count_ = DeviceNumber(std::move(reciprocal));
  } else {
    const int64_t counted = count.value_or(labels.size());
    all_count_ = counted == labels.size();
    reciprocal_count_ =
        DeviceNumber(1.0 / static_cast<double>(std::max<int64_t>(counted, 1)));
  }
}

}  // namespace catena::functions
