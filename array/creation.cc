#include "catena/array/creation.h"

#include <algorithm>

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"

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

}  // namespace

Array full(const Shape& shape, Scalar value, std::optional<Dtype> dtype,
           std::optional<Device> device) {
  Array result = empty(shape, dtype.value_or(value.dtype()), device);
  result.fill(value);
  return result;
}

Array zeros(const Shape& shape, Dtype dtype, std::optional<Device> device) {
  return full(shape, 0, dtype, device);
}

Array ones(const Shape& shape, Dtype dtype, std::optional<Device> device) {
  return full(shape, 1, dtype, device);
}

Array full_like(const Array& a, Scalar value, std::optional<Dtype> dtype) {
  return full(a.shape(), value, dtype.value_or(a.dtype()), a.device());
}

Array zeros_like(const Array& a, std::optional<Dtype> dtype) {
  return full_like(a, 0, dtype);
}

Array ones_like(const Array& a, std::optional<Dtype> dtype) {
  return full_like(a, 1, dtype);
}

Array eye(int64_t N, std::optional<int64_t> M, const EyeOptions& options) {
  Array result = zeros({N, M.value_or(N)}, options.dtype, options.device);
  const int64_t rows = result.shape()[0];
  const int64_t columns = result.shape()[1];
  if (options.k <= -rows || options.k >= columns) return result;
  const int64_t row = std::max<int64_t>(-options.k, 0);
  const int64_t column = std::max<int64_t>(options.k, 0);
  const int64_t length = std::min(rows - row, columns - column);
  const Strides& strides = result.strides();
  const Array diagonal(result.storage(), result.dtype(), {length},
                       {strides[0] + strides[1]},
                       row * strides[0] + column * strides[1]);
  diagonal.fill(1);
  return result;
}

Array identity(int64_t n, Dtype dtype, std::optional<Device> device) {
  return eye(n, n, {.dtype = dtype, .device = device});
}

Array asarray(const Operand& a, std::optional<Dtype> dtype,
              std::optional<Device> device) {
  if (!a.is_array()) return full({}, a.scalar(), dtype, device);
  const Array& array = a.array();
  return array
      .astype(dtype.value_or(array.dtype()), Array::CopyPolicy::kIfNeeded)
      .to_device(device.value_or(array.device()));
}

Array ascontiguousarray(const Operand& a, std::optional<Dtype> dtype) {
  const Array array = asarray(a, dtype).contiguous();
  return array.ndim() == 0 ? array.reshape({1}) : array;
}

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

}  // namespace catena::array
