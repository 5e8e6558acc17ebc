#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "catena/array/array.h"

// Axes moved, swapped and added; asfortranarray alone may copy. All throw
// IndexError for an axis out of range.
namespace catena::array {

// `axis` moved to stand before the axis that is now at `start`, which may be
// ndim: the end.
Array rollaxis(const Array& a, int64_t axis, int64_t start = 0);

// The axes `source` moved to the positions `destination` of the result; the
// others keep their order. ValueError when the lists differ in length or name
// an axis twice.
Array moveaxis(const Array& a, const Axes& source, const Axes& destination);
inline Array moveaxis(const Array& a, int64_t source, int64_t destination) {
  return moveaxis(a, Axes{source}, Axes{destination});
}

Array swapaxes(const Array& a, int64_t axis1, int64_t axis2);

// With axes of extent 1 up to so many: (n,) becomes (1, n) and (1, n, 1), (m,
// n) becomes (m, n, 1).
Array atleast_1d(const Array& a);
Array atleast_2d(const Array& a);
Array atleast_3d(const Array& a);
// Each of several.
std::vector<Array> atleast_1d(std::initializer_list<Array> arrays);
std::vector<Array> atleast_2d(std::initializer_list<Array> arrays);
std::vector<Array> atleast_3d(std::initializer_list<Array> arrays);

// The array, cast when a dtype is given, in Fortran's order of memory: itself
// when it is so already, else a copy.
Array asfortranarray(const Array& a, std::optional<Dtype> dtype = std::nullopt);

}  // namespace catena::array
