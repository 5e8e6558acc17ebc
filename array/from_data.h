#pragma once

#include <memory>
#include <optional>

#include "catena/array/array.h"
#include "catena/array/core/device.h"
#include "catena/array/core/dtype.h"
#include "catena/array/core/shape.h"

namespace catena::array {

struct FromDataOptions {
  NamedFieldsOnly keywords = {};
  // Keeps the memory alive until the last array that refers to it is destroyed.
  // Without an owner the memory is borrowed and must outlive those arrays.
  std::shared_ptr<void> owner = nullptr;
  // Strides in bytes, starting at the first element; C order by default.
  std::optional<Strides> strides = std::nullopt;
  // The device that holds the memory.
  Device device = native_device();
};
// An array over existing memory, without a copy. Throws ValueError when `data`
// is null, or `data` or a stride is not a multiple of the dtype's size.
Array from_data(void* data, const Shape& shape, Dtype dtype,
                const FromDataOptions& options = {});

}  // namespace catena::array
