#pragma once

#include "catena/array/array.h"

// Comparisons of whole arrays, with NumPy's names and defaults.
namespace catena::array {

// Whether both have the same shape and equal elements, whatever their dtypes;
// NaN is not equal to itself. Throws DeviceError for different devices.
bool array_equal(const Array& a, const Array& b);

struct IscloseOptions {
  NamedFieldsOnly keywords = {};
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;  // NaN is close to NaN
};

// |a - b| <= atol + rtol |b| elementwise with broadcasting, as bool. Not
// symmetric in a and b; an infinity is close only to itself. Integers are
// compared as float64. Throws ShapeError when they do not broadcast, ValueError
// for a negative or NaN tolerance.
Array isclose(const Array& a, const Array& b,
              const IscloseOptions& options = {});

// Whether isclose holds for all elements.
bool allclose(const Array& a, const Array& b,
              const IscloseOptions& options = {});

}  // namespace catena::array
