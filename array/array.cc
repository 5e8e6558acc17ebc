#include "catena/array/array.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"

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
                  const Strides& strides, int64_t offset, int64_t size,
                  bool contiguous)
    : dtype(dtype),
      contiguous(contiguous),
      device(storage->device()),
      size(size),
      data(storage->data() + offset),
      storage(std::move(storage)),
      shape(shape),
      strides(strides) {}

Array::Body::Body(Ref<Storage> storage, Dtype dtype, const Shape& shape,
                  int64_t size)
    : dtype(dtype),
      contiguous(true),
      is_in_room(true),
      device(storage->device()),
      size(size),
      data(storage->data()),
      storage(std::move(storage)),
      shape(shape),
      strides(contiguous_strides(shape, item_size(dtype))) {}

void Array::Body::destroy() noexcept {
  if (!is_in_room) {
    delete this;
  } else {
    // Its memory ends with the storage, which other views may share.
    storage.detach()->release();
  }
}

Array::Array(Device device, Dtype dtype, const Shape& shape, int64_t size) {
  static_assert(sizeof(Body) <= Storage::kRoom);
  static_assert(std::is_trivially_destructible_v<Shape>);
  Ref<Storage> storage = Storage::allocate(device, size * item_size(dtype));
  void* room = storage->room();
  body_ = Ref<Body>::adopt(::new (room)
                               Body(std::move(storage), dtype, shape, size));
}

Array::Array(Ref<Storage> storage, Dtype dtype, const Shape& shape)
    : Array(std::move(storage), dtype, shape,
            contiguous_strides(shape, item_size(dtype)), /*offset=*/0) {}

Array::Array(Ref<Storage> storage, Dtype dtype, const Shape& shape,
             const Strides& strides, int64_t offset) {
  const int64_t size = size_of(shape);
  const bool contiguous =
      size == 0 || lies_contiguously(shape, strides, item_size(dtype));
  body_ = Ref<Body>::adopt(new Body(std::move(storage), dtype, shape, strides,
                                    offset, size, contiguous));
}

void Array::throw_undefined() {
  raise<ValueError>(
      "Array: expected a defined array, got an undefined one "
      "(default-constructed or moved from)");
}

void Array::throw_dtype(Dtype expected, std::string_view operation) const {
  raise<DtypeError>(operation, ": expected dtype ", expected, ", got ",
                    dtype());
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
  const BackendTable& memory = require_device(device(), "Array::item");
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
  return Array(device.has_value() ? *device : current_device(), dtype, shape,
               size);
}

Array empty_like(const Array& a, std::optional<Dtype> dtype) {
  if (!dtype.has_value() || *dtype == a.dtype()) {
    return Array(a.device(), a.dtype(), a.shape(), a.size());
  }
  return empty(a.shape(), *dtype, a.device());
}

}  // namespace array
}  // namespace catena
