// The CPU's check of labels: one pass, which also copies.

#include <cstdlib>

#include "catena/array/kernels/kernel_definition.h"
#include "catena/functions/loss/internal/label_kernel.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using functions::LabelArgs;
using functions::LabelKernels;

[[noreturn, gnu::cold]] void fail(const LabelArgs& args, int64_t label) {
  const int64_t numbers[] = {label, args.classes, args.ignored.has_value(),
                             args.ignored.value_or(0)};
  args.error->raise(args.error->describe(args.operation, numbers));
  std::abort();
}

template <class T>
int64_t check_labels(const LabelArgs& args) {
  const auto* labels = static_cast<const T*>(args.labels);
  auto* valid = static_cast<T*>(args.valid);
  int64_t count = 0;
  for (int64_t i = 0; i < args.size; ++i) {
    const auto label = static_cast<int64_t>(labels[i]);
    if (label == args.ignored) {
      valid[i] = -1;
      continue;
    }
    if (label < 0 || label >= args.classes) [[unlikely]] {
      fail(args, label);
    }
    valid[i] = labels[i];
    ++count;
  }
  return count;
}

std::optional<int64_t> check(const LabelArgs& args, double* /*reciprocal*/) {
  return args.is_64_bit ? check_labels<int64_t>(args)
                        : check_labels<int32_t>(args);
}

}  // namespace

template <>
constinit const LabelKernels Kernels<LabelKernels>::table = {check};

}  // namespace catena::kernels::CATENA_BACKEND
