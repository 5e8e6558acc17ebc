#include "catena/array/creation.h"

#include <algorithm>

#include "catena/array/core/error.h"

namespace catena::array {

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

}  // namespace catena::array
