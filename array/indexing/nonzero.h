#pragma once

#include <vector>

#include "catena/array/array.h"

// The indices of nonzero elements, including NaN, as int64 arrays in C order of
// the elements. These calls wait for the device, since the size of the result
// depends on the values.
namespace catena::array {

// One array of indices, of shape (n,), per axis of `a`. A 0-d array counts as
// 1-d.
std::vector<Array> nonzero(const Array& a);
// nonzero(condition), NumPy's where with one argument.
inline std::vector<Array> where(const Array& condition) {
  return nonzero(condition);
}

// The indices into a.ravel(), of shape (n,).
Array flatnonzero(const Array& a);

// The indices as rows of an (n, a.ndim()) array.
Array argwhere(const Array& a);

// a.nonzero()
struct NonzeroMethods {
  static std::vector<Array> nonzero(const Array& a) {
    return array::nonzero(a);
  }
};

}  // namespace catena::array
