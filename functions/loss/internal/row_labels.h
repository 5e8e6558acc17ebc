#pragma once

#include <cstdint>

#include "catena/array/core/host_device.h"

namespace catena::functions {

// Labels in device memory, as kernels read them; -1 is to be left out.
struct RowLabels {
  const void* data;
  bool is_64_bit;  // else 32

  CATENA_HOST_DEVICE int64_t operator[](int64_t row) const {
    return is_64_bit ? static_cast<const int64_t*>(data)[row]
                     : static_cast<const int32_t*>(data)[row];
  }
};

}  // namespace catena::functions
