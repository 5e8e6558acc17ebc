#pragma once

#include <vector>

#include "catena/array/array.h"

// Where an array is not zero. NaN is not. The results are int64 arrays in C
// order of the elements; since their size depends on the values, these calls
// wait for the device.
namespace catena::array {

// The indices along each axis of `a`: one array of shape (n,) for each axis. A
// 0-d array counts as having one axis.
std::vector<Array> nonzero(const Array& a);
// nonzero(condition), NumPy's where with one argument.
inline std::vector<Array> where(const Array& condition) {
  return nonzero(condition);
}

// The positions in a.ravel(), of shape (n,).
Array flatnonzero(const Array& a);

// The indices as rows: (n, a.ndim()).
Array argwhere(const Array& a);

}  // namespace catena::array
