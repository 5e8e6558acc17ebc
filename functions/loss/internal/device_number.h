#pragma once

#include <utility>

#include "catena/array/array.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/loss/internal/scale_factor.h"

namespace catena::functions {

// A number that may be known only to a device, since the host does not wait for
// it.
class DeviceNumber {
 public:
  DeviceNumber() = default;
  explicit DeviceNumber(double number) : number_(number) {}
  // A float64 array of shape ().
  explicit DeviceNumber(Array on_device) : on_device_(std::move(on_device)) {}

  // Undefined if the host knows number().
  const Array& on_device() const { return on_device_; }
  double number() const { return number_; }

  // For kernels; this object must stay alive.
  ScaleFactor factor() const {
    if (!on_device_.defined()) return {.number = number_};
    return {.at = on_device_.data<double>()};
  }
  // x times the number, of x's dtype.
  Array times(const Array& x) const {
    if (!on_device_.defined()) return array::multiply(x, number_);
    return array::multiply(x, on_device_.astype(x.dtype()));
  }

 private:
  double number_ = 1;
  Array on_device_;
};

}  // namespace catena::functions
