#pragma once

#include "catena/array/core/host_device.h"

namespace catena::functions {

// A factor as kernels read it: a number, times one in the device's memory if
// only the device knows it.
struct ScaleFactor {
  double number = 1;
  const double* at = nullptr;

  CATENA_HOST_DEVICE double value() const {
    return at != nullptr ? number * *at : number;
  }
};

}  // namespace catena::functions
