#include "catena/array/array.h"

#include <algorithm>
#include <cstring>

#include "catena/array/error.h"

namespace catena {
namespace {

bool lies_contiguously(const Shape& shape, const Strides& strides,
                       int64_t item_size) {
  int64_t expected = item_size;
  for (int i = shape.size() - 1; i >= 0; --i) {
    if (shape[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

}  // namespace

Array::Body::Body(Ref<Storage> storage, Dtype dtype, const Shape& shape,
                  const Strides& strides, int64_t offset)
    : dtype(dtype),
      size(size_of(shape)),
      data(storage->data() + offset),
      storage(std::move(storage)),
      shape(shape),
      strides(strides) {
  contiguous = size == 0 || lies_contiguously(shape, strides, item_size(dtype));
}

Array::Body::Body(Ref<Storage> storage, Dtype dtype, const Shape& shape)
    : dtype(dtype),
      contiguous(true),
      size(1),
      data(storage->data()),
      storage(std::move(storage)),
      shape(shape),
      strides(contiguous_strides(shape, item_size(dtype))) {
  for (const int64_t extent : shape) size *= extent;
}

Array::Array(Ref<Storage> storage, Dtype dtype, const Shape& shape)
    : body_(Ref<Body>::adopt(new Body(std::move(storage), dtype, shape))) {}

Array::Array(Ref<Storage> storage, Dtype dtype, const Shape& shape,
             const Strides& strides, int64_t offset)
    : body_(Ref<Body>::adopt(
          new Body(std::move(storage), dtype, shape, strides, offset))) {}

void Array::throw_undefined() {
  raise<ValueError>(
      "Array: expected a defined array, got an undefined one "
      "(default-constructed or moved from)");
}

void Array::check_dtype(Dtype expected, std::string_view operation) const {
  if (dtype() != expected) {
    raise<DtypeError>(operation, ": expected dtype ", expected, ", got ",
                      dtype());
  }
}

int32_t Array::use_count() const {
  // Handles may share the description, or only the memory.
  return std::max(body_ ? body_->refs.get() : 0, body().storage->use_count());
}

Scalar Array::item_as_scalar() const {
  if (size() != 1) {
    raise<ShapeError>("Array::item: expected exactly one element, got shape ",
                      shape());
  }
  alignas(8) char bytes[8];
  const MemoryBackend& memory = require_device(device(), "Array::item");
  memory.copy(bytes, native_device(), raw_data(), device(), itemsize());
  return visit_dtype(dtype(), [&](auto tag) {
    decltype(tag) value;
    std::memcpy(&value, bytes, sizeof(value));
    return Scalar(value);
  });
}

bool Operand::is_reusable() const {
  return expiring_ && array_->defined() && array_->use_count() == 1 &&
         array_->storage()->owned();
}

namespace array {

Array empty(const Shape& shape, Dtype dtype, std::optional<Device> device) {
  const int64_t size = checked_size(shape, item_size(dtype), "empty");
  return Array(
      Storage::allocate(device.has_value() ? *device : current_device(),
                        size * item_size(dtype)),
      dtype, shape);
}

Array empty_like(const Array& a, std::optional<Dtype> dtype) {
  return empty(a.shape(), dtype.value_or(a.dtype()), a.device());
}

}  // namespace array
}  // namespace catena
