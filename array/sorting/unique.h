#pragma once

#include "catena/array/array.h"

// Set operations on flattened arrays. Results are sorted and without
// duplicates. unique treats all NaNs as one value; isin treats NaN as equal to
// nothing. These calls wait for the device, since the size of the result
// depends on the values. All throw DeviceError.
namespace catena::array {

// The distinct values of `a`, ascending.
Array unique(const Array& a);

// The distinct elements and, if asked for, where they come from.
struct UniqueParts {
  Array values;
  Array index;    // index in a.ravel() of each value's first occurrence
  Array inverse;  // index in `values` of each element of a.ravel()
  Array counts;   // number of occurrences of each value
};
// The distinct values and their origins, as 1-d int64 arrays: values =
// a.ravel()[index], a.ravel() = values[inverse].
UniqueParts unique_parts(const Array& a);

struct IsinOptions {
  NamedFieldsOnly keywords = {};
  bool invert = false;  // whether each element is not in `test`
};
// Whether each element of `a` is in `test`: bool, with the shape of `a`.
Array isin(const Array& a, const Array& test, const IsinOptions& options = {});
// Like isin, with shape (a.size(),).
Array in1d(const Array& a, const Array& test, const IsinOptions& options = {});

// The values in either array, in both, in `a` but not in `b`, and in exactly
// one.
Array union1d(const Array& a, const Array& b);
Array intersect1d(const Array& a, const Array& b);
Array setdiff1d(const Array& a, const Array& b);
Array setxor1d(const Array& a, const Array& b);

}  // namespace catena::array
