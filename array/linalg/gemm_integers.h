#pragma once

#include <cstdint>

#include "catena/array/host_device.h"
#include "catena/array/ufunc_ops.h"

namespace catena::kernels::CATENA_BACKEND {

// How products of integers and bool are added up. Integers wrap round, by way
// of unsigned ones.
template <class T>
struct SumOfProducts {
  using Sum = array::internal::Wrapping<T>;
  static CATENA_HOST_DEVICE Sum add(Sum sum, Sum a, Sum b) {
    return sum + a * b;
  }
};
// Truth values, added by "or" and multiplied by "and".
template <>
struct SumOfProducts<bool> {
  using Sum = uint8_t;
  static CATENA_HOST_DEVICE Sum add(Sum sum, Sum a, Sum b) {
    return sum | (a & b);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
