#pragma once

#include "catena/array/array.h"

// Arrays as sets: everything is flattened, and results are sorted and have each
// value once. All NaN are one value to unique, and equal to nothing for isin.
// Since the size of a result depends on the values, these calls wait for the
// device. All throw DeviceError.
namespace catena::array {

// The different values of `a`, rising.
Array unique(const Array& a);

struct UniqueParts {
  Array values;
  Array index;    // of the first occurrence of each value in a.ravel()
  Array inverse;  // of each element of a.ravel() among the values
  Array counts;   // of each value
};
// The same with where the values came from, as int64 arrays with one axis:
// values = a.ravel()[index], a.ravel() = values[inverse].
UniqueParts unique_parts(const Array& a);

struct IsinOptions {
  bool invert = false;  // whether to ask for those that are not in it
};
// Whether each element of `a` is in `test`: bool, of the shape of `a`.
Array isin(const Array& a, const Array& test, const IsinOptions& options = {});
// The same of shape (a.size(),).
Array in1d(const Array& a, const Array& test, const IsinOptions& options = {});

// The values in either; in both; in `a` but not in `b`; in one but not in both.
Array union1d(const Array& a, const Array& b);
Array intersect1d(const Array& a, const Array& b);
Array setdiff1d(const Array& a, const Array& b);
Array setxor1d(const Array& a, const Array& b);

}  // namespace catena::array
