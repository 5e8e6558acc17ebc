#include "catena/array/from_data.h"

#include <utility>

#include "catena/array/core/backend.h"
#include "catena/array/core/borrowed_storage.h"
#include "catena/array/core/error.h"

namespace catena::array {
namespace {

// The number of bytes that an array covers before and after the start of its
// first item.
struct Extent {
  int64_t before;
  int64_t after;
};

Extent extent_of(const Shape& shape, const Strides& strides, int64_t itemsize) {
  Extent extent{0, itemsize};
  bool overflow = false;
  for (int i = 0; i < shape.ndim(); ++i) {
    if (shape[i] == 0) return {0, 0};
    int64_t span = 0;
    overflow |= __builtin_mul_overflow(shape[i] - 1, strides[i], &span);
    overflow |=
        span < 0 ? __builtin_sub_overflow(extent.before, span, &extent.before)
                 : __builtin_add_overflow(extent.after, span, &extent.after);
  }
  int64_t all = 0;
  overflow |= __builtin_add_overflow(extent.before, extent.after, &all);
  if (overflow) {
    raise<ShapeError>("from_data: shape ", shape, " with strides ", strides,
                      " exceeds the address space");
  }
  return extent;
}

}  // namespace

Array from_data(void* data, const Shape& shape, Dtype dtype,
                const FromDataOptions& options) {
  const int64_t itemsize = item_size(dtype);
  const int64_t size = checked_size(shape, itemsize, "from_data");
  require_device(options.device, "from_data");
  const Strides strides =
      options.strides.value_or(contiguous_strides(shape, itemsize));
  if (strides.size() != shape.size()) {
    raise<ShapeError>("from_data: expected a stride for each axis of shape ",
                      shape, ", got strides ", strides);
  }
  if (data == nullptr && size > 0) {
    raise<ValueError>("from_data: expected memory for shape ", shape,
                      ", got a null pointer");
  }
  bool aligned = reinterpret_cast<uintptr_t>(data) % itemsize == 0;
  for (const int64_t stride : strides) aligned &= stride % itemsize == 0;
  if (!aligned) {
    raise<ValueError>("from_data: expected data and strides aligned to the ",
                      itemsize, " bytes of ", dtype, ", got ",
                      reinterpret_cast<uintptr_t>(data), " and strides ",
                      strides);
  }
  const Extent extent = extent_of(shape, strides, itemsize);
  Ref<Storage> storage = BorrowedStorage::make(
      options.device, static_cast<char*>(data) - extent.before,
      extent.before + extent.after, options.owner);
  return Array(std::move(storage), dtype, shape, strides, extent.before);
}

}  // namespace catena::array
