#pragma once

#include <cstdint>

#include "catena/array/core/host_device.h"
#include "catena/array/kernels/ufunc_ops.h"

namespace catena::kernels::CATENA_BACKEND {

// Accumulation of products of integers and bool. Integers are added as
// unsigned, so that they wrap around.
template <class T>
struct SumOfProducts {
  using Sum = array::internal::Wrapping<T>;
  static CATENA_HOST_DEVICE Sum add(Sum sum, Sum a, Sum b) {
    return sum + a * b;
  }
};
// bool: added by logical or, multiplied by logical and.
template <>
struct SumOfProducts<bool> {
  using Sum = uint8_t;
  static CATENA_HOST_DEVICE Sum add(Sum sum, Sum a, Sum b) {
    return sum | (a & b);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
