#pragma once

#include "catena/array/array.h"

// Whether whole arrays agree, with NumPy's names and defaults.
namespace catena::array {

// Whether both have one shape and equal elements, whatever their dtypes; NaN
// equals nothing. DeviceError when they are on different devices.
bool array_equal(const Array& a, const Array& b);

struct IscloseOptions {
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;  // NaN is close to NaN
};

// |a - b| <= atol + rtol |b| element by element, with broadcasting, as bool; an
// infinity is close to itself alone. Integers are compared as float64. It is
// not symmetric in a and b. ShapeError when they do not broadcast; ValueError
// for a tolerance that is negative or NaN.
Array isclose(const Array& a, const Array& b,
              const IscloseOptions& options = {});

// Whether all elements are close in that sense.
bool allclose(const Array& a, const Array& b,
              const IscloseOptions& options = {});

}  // namespace catena::array
