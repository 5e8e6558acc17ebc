#include "catena/array/statistics/cumulative.h"

#include "catena/array/core/error.h"
#include "catena/array/statistics/scan_kernel.h"

namespace catena::array {
namespace {

// The dtype rule of sum.
Dtype cumulative_dtype(Dtype dtype) {
  switch (kind_of(dtype)) {
    case DtypeKind::kFloat:
      return dtype;
    case DtypeKind::kUInt:
      return Dtype::kUInt64;
    default:
      return Dtype::kInt64;
  }
}

Array scan(const KernelSlot<ScanFamily::Table>& slot, const Array& a,
           const CumulativeOptions& options) {
  const Dtype dtype = options.dtype.value_or(cumulative_dtype(a.dtype()));
  ScanKernel* kernel = slot.on(a.device())[dtype];
  if (kernel == nullptr) {
    raise<DtypeError>(slot.name, ": expected a numeric dtype, got ", dtype);
  }
  const Array x = options.axis.has_value() ? a : a.ravel();
  const int axis =
      normalize_axis(options.axis.value_or(0), x.ndim(), slot.name);
  const Array input =
      x.astype(dtype, Array::CopyPolicy::kIfNeeded).contiguous();
  const Array result = empty_like(input);
  if (result.size() == 0) return result;
  ScanArgs args{.device = a.device(),
                .outer = 1,
                .extent = x.shape()[axis],
                .inner = 1,
                .input = input.raw_data(),
                .output = result.raw_data()};
  for (int i = 0; i < axis; ++i) args.outer *= x.shape()[i];
  for (int i = axis + 1; i < x.ndim(); ++i) args.inner *= x.shape()[i];
  kernel(args);
  return result;
}

}  // namespace

Array cumsum(const Array& a, const CumulativeOptions& options) {
  return scan(kernel_slot<ScanFamily, Cumsum>, a, options);
}

Array cumprod(const Array& a, const CumulativeOptions& options) {
  return scan(kernel_slot<ScanFamily, Cumprod>, a, options);
}

}  // namespace catena::array

namespace catena {

Array Array::cumsum(const array::CumulativeOptions& options) const {
  return array::cumsum(*this, options);
}

Array Array::cumprod(const array::CumulativeOptions& options) const {
  return array::cumprod(*this, options);
}

}  // namespace catena
