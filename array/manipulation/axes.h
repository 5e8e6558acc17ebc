#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "catena/array/array.h"

// Moving, swapping and adding axes. All return views, except that
// asfortranarray may copy. All throw IndexError for an axis out of range.
namespace catena::array {

// Moves `axis` before the axis now at `start`; `start` may be ndim, the end.
Array rollaxis(const Array& a, int64_t axis, int64_t start = 0);

// Moves the axes `source` to the positions `destination`; the others keep their
// order. Throws ValueError when the lists differ in length or repeat an axis.
Array moveaxis(const Array& a, const Axes& source, const Axes& destination);
inline Array moveaxis(const Array& a, int64_t source, int64_t destination) {
  return moveaxis(a, Axes{source}, Axes{destination});
}

// A view with two axes exchanged. Throws IndexError for an axis out of range.
Array swapaxes(const Array& a, int64_t axis1, int64_t axis2);

// Add axes of extent 1: (n,) becomes (1, n) and (1, n, 1), (m, n) becomes (m,
// n, 1).
Array atleast_1d(const Array& a);
Array atleast_2d(const Array& a);
Array atleast_3d(const Array& a);
// For several arrays.
std::vector<Array> atleast_1d(std::initializer_list<Array> arrays);
std::vector<Array> atleast_2d(std::initializer_list<Array> arrays);
std::vector<Array> atleast_3d(std::initializer_list<Array> arrays);

// The array in Fortran order, cast to `dtype` if given: the array itself if it
// already is in this order, else a copy.
Array asfortranarray(const Array& a, std::optional<Dtype> dtype = std::nullopt);

// a.swapaxes(axis1, axis2)
struct AxesMethods {
  static Array swapaxes(const Array& a, int64_t axis1, int64_t axis2) {
    return array::swapaxes(a, axis1, axis2);
  }
};

}  // namespace catena::array
