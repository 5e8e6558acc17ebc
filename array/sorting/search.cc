#include "catena/array/sorting/search.h"

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/index.h"
#include "catena/array/printing/printing.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/sorting/sort_kernel.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

bool holds(const Array& condition) { return all(condition).item<bool>(); }

}  // namespace

Array searchsorted(const Array& a, const Operand& values,
                   const SearchsortedOptions& options) {
  if (a.ndim() != 1) {
    raise<ShapeError>("searchsorted: expected a sorted array with one axis, ",
                      "got shape ", a.shape());
  }
  const Dtype dtype = values.is_array()
                          ? promote(a.dtype(), values.array().dtype())
                          : values.scalar().promoted_with(a.dtype());
  const Array wanted = asarray(values, dtype, std::nullopt).contiguous();
  const Array given = values.is_array() ? wanted : wanted.to_device(a.device());
  const Array* const both[] = {&a, &given};
  common_device(both, "searchsorted");
  Array sorted = a;
  if (options.sorter) {
    if (options.sorter->shape() != a.shape()) {
      raise<ShapeError>("searchsorted: expected a sorter of shape ", a.shape(),
                        ", got ", options.sorter->shape());
    }
    sorted = take(a, *options.sorter, 0);
  }
  sorted = sorted.astype(dtype, Array::CopyPolicy::kIfNeeded).contiguous();
  const Array positions = empty(given.shape(), Dtype::kInt64, a.device());
  if (given.size() > 0) {
    kernel_slot<Searchsorted>.on(a.device())[dtype](
        {a.device(), sorted.raw_data(), sorted.size(), given.raw_data(),
         given.size(), options.side == Side::kRight,
         positions.data<int64_t>()});
  }
  return positions;
}

Array digitize(const Array& x, const Array& bins,
               const DigitizeOptions& options) {
  if (bins.ndim() != 1) {
    raise<ShapeError>("digitize: expected bins with one axis, got shape ",
                      bins.shape());
  }
  const Array lower = bins[{Slice(0, -1)}];
  const Array upper = bins[{Slice(1, {})}];
  const SearchsortedOptions from{.side = options.right ? Side::kLeft
                                                       : Side::kRight};
  if (holds(less_equal(lower, upper))) return searchsorted(bins, x, from);
  if (!holds(greater_equal(lower, upper))) {
    raise<ValueError>("digitize: bins must be monotonic, got ",
                      array_str(bins));
  }
  const Array behind = searchsorted(bins[{Slice({}, {}, -1)}], x, from);
  return subtract(bins.size(), behind);
}

}  // namespace catena::array
