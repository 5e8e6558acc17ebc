#include "catena/functions/loss/internal/labels.h"

#include <string>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/array/reduce.h"
#include "catena/array/ufunc.h"

namespace catena::functions {
namespace {

// The maximum number of a device's labels that are checked on the host, which
// takes one copy.
constexpr int64_t kFew = 1 << 16;

template <class T>
int64_t count_on_host(const T* labels, int64_t size, int64_t classes,
                      std::optional<int64_t> ignored,
                      std::string_view operation) {
  int64_t count = 0;
  for (int64_t i = 0; i < size; ++i) {
    const auto label = static_cast<int64_t>(labels[i]);
    if (label == ignored) continue;
    if (label < 0 || label >= classes) [[unlikely]] {
      raise_bad_label(operation, label, classes, ignored);
    }
    ++count;
  }
  return count;
}

}  // namespace

void raise_bad_label(std::string_view operation, int64_t label, int64_t classes,
                     std::optional<int64_t> ignored) {
  const std::string exception =
      ignored ? str(" or ", *ignored, ", which is ignored") : "";
  raise<ValueError>(operation, ": expected labels from 0 to ", classes - 1,
                    exception, ", got ", label, " for ", classes, " classes");
}

int64_t count_labels(const Array& labels, int64_t classes,
                     std::optional<int64_t> ignored,
                     std::string_view operation) {
  if (labels.size() == 0) return 0;
  if (labels.device().is_native() || labels.size() <= kFew) {
    const Array flat = labels.to_device(native_device()).contiguous();
    return visit_dtype(flat.dtype(), [&](auto tag) {
      using T = decltype(tag);
      return count_on_host(reinterpret_cast<const T*>(flat.raw_data()),
                           flat.size(), classes, ignored, operation);
    });
  }
  const Array counts = ignored ? array::not_equal(labels, *ignored)
                               : array::full(labels.shape(), true, Dtype::kBool,
                                             labels.device());
  const Array outside = array::logical_or(
      array::less(labels, 0), array::greater_equal(labels, classes));
  const Array bad = array::logical_and(counts, outside);
  if (array::any(bad).item<bool>()) {
    const int64_t first = array::argmax(bad).item<int64_t>();
    raise_bad_label(operation, labels.ravel()[first].item<int64_t>(), classes,
                    ignored);
  }
  return array::count_nonzero(counts).item<int64_t>();
}

Array copy_labels(const Array& labels) {
  return labels.astype(labels.dtype() == Dtype::kInt32 ? Dtype::kInt32
                                                       : Dtype::kInt64);
}

RowLabels row_labels(const Array& copied, int64_t ignored) {
  return {copied.raw_data(), copied.dtype() == Dtype::kInt64, ignored};
}

}  // namespace catena::functions
