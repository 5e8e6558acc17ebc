// Arrays from existing values: braces, ranges, external memory.

#include <cstring>

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"

namespace catena::array {
namespace {

// The shape given by the first item of each level.
Shape shape_of_list(const NestedList& values) {
  Shape shape;
  const NestedList* level = &values;
  while (!level->is_number()) {
    shape.push_back(level->size());
    if (level->size() == 0) break;
    level = level->begin();
  }
  return shape;
}

// Throws ShapeError unless all items have that shape. Sets `dtype` to the
// promotion of the numbers.
void inspect_list(const NestedList& values, const Shape& shape, int depth,
                  std::optional<Dtype>& dtype) {
  if (values.is_number() != (depth == shape.ndim())) {
    raise<ShapeError>("array: expected every item at depth ", depth,
                      " to be a ", values.is_number() ? "list" : "number",
                      " as in the first of shape ", shape, ", got a ",
                      values.is_number() ? "number" : "list");
  }
  if (values.is_number()) {
    dtype = dtype ? promote(*dtype, values.dtype()) : values.dtype();
    return;
  }
  if (values.size() != shape[depth]) {
    raise<ShapeError>("array: expected every list at depth ", depth,
                      " to have length ", shape[depth],
                      " like the first, got one of length ", values.size());
  }
  for (const NestedList& item : values) {
    inspect_list(item, shape, depth + 1, dtype);
  }
}

void store_list(const NestedList& values, Dtype dtype, char*& to) {
  if (values.is_number()) {
    values.number().store(to, dtype, "array");
    to += item_size(dtype);
  }
  for (const NestedList& item : values) store_list(item, dtype, to);
}

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

Array array(const NestedList& values, std::optional<Dtype> dtype,
            std::optional<Device> device) {
  const Shape shape = shape_of_list(values);
  std::optional<Dtype> own;
  inspect_list(values, shape, 0, own);
  const Dtype wanted = dtype ? *dtype : own.value_or(Dtype::kFloat64);
  const Array host = empty(shape, wanted, native_device());
  char* to = host.raw_data();
  store_list(values, wanted, to);
  return host.to_device(device.value_or(current_device()));
}

Array array(const NestedList& values, const ArrayOptions& options) {
  return array_from(array(values, options.dtype, options.device),
                    {.copy = false, .ndmin = options.ndmin});
}

Array array_from(const Array& values, const ArrayOptions& options) {
  if (options.ndmin < 0 || options.ndmin > kMaxDims) {
    raise<ShapeError>("array: expected ndmin from 0 to ", kMaxDims, ", got ",
                      options.ndmin);
  }
  const Device device = options.device.value_or(values.device());
  Array result = values
                     .astype(options.dtype.value_or(values.dtype()),
                             Array::CopyPolicy::kIfNeeded)
                     .to_device(device);
  if (options.copy && result.is_same(values)) result = values.copy();
  while (result.ndim() < options.ndmin) result = result.expand_dims(0);
  return result;
}

Array copy_from(const void* values, const Shape& shape, Dtype dtype,
                std::optional<Device> device) {
  Array result = empty(shape, dtype, device);
  if (result.size() == 0) return result;
  if (values == nullptr) {
    raise<ValueError>("copy_from: expected ", result.nbytes(),
                      " bytes of values for shape ", shape,
                      ", got a null pointer");
  }
  require_device(result.device(), "copy_from")
      .copy(result.raw_data(), result.device(), values, native_device(),
            result.nbytes());
  return result;
}

Array copy_range(const void* values, int64_t count, Dtype dtype,
                 const std::optional<Shape>& shape,
                 std::optional<Device> device) {
  const Shape own = shape.value_or(Shape{count});
  if (checked_size(own, item_size(dtype), "array") != count) {
    raise<ShapeError>("array: expected as many values as shape ", own,
                      " has elements, got ", count);
  }
  return copy_from(values, own, dtype, device);
}

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
  Ref<Storage> storage =
      Storage::borrow(options.device, static_cast<char*>(data) - extent.before,
                      extent.before + extent.after, options.owner);
  return Array(std::move(storage), dtype, shape, strides, extent.before);
}

}  // namespace catena::array
