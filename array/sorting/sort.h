#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Sorting along an axis, in linear time by radix sort for every dtype. NaN of
// either sign comes last, as in NumPy. The order is the same on every device
// and for every number of threads.
//
// Without an axis (nullopt) the array is flattened first. All throw IndexError
// for an axis out of range.
namespace catena::array {

// A new array in ascending order. -0.0 comes before 0.0.
Array sort(const Array& a, const OptionalAxisOption& options = {.axis = -1});
template <class = void>
Array sort(const Array& a, std::optional<Axis> axis) {
  return sort(a, {.axis = axis});
}
// sort along the first axis.
Array msort(const Array& a);

// The int64 indices that sort: take_along_axis(a, argsort(a), -1) is sorted.
// Always stable: equal elements, such as -0.0 and 0.0 or two NaNs, keep their
// order (NumPy's kind="stable").
Array argsort(const Array& a, const OptionalAxisOption& options = {.axis = -1});
template <class = void>
Array argsort(const Array& a, std::optional<Axis> axis) {
  return argsort(a, {.axis = axis});
}

// Orders the elements such that the one at index kth along the axis is in its
// sorted position, with none larger before it and none smaller after it.
// Implemented as a full sort, since a radix sort is no slower than selection. A
// negative kth counts from the end. Throws IndexError when kth is out of range.
Array partition(const Array& a, int64_t kth,
                const OptionalAxisOption& options = {.axis = -1});
Array argpartition(const Array& a, int64_t kth,
                   const OptionalAxisOption& options = {.axis = -1});
template <class = void>
Array partition(const Array& a, int64_t kth, std::optional<Axis> axis) {
  return partition(a, kth, {.axis = axis});
}
template <class = void>
Array argpartition(const Array& a, int64_t kth, std::optional<Axis> axis) {
  return argpartition(a, kth, {.axis = axis});
}

// The int64 indices along the keys' last axis that sort by the last key, then
// by the one before, and so on. Stable. The keys have the same shape; in a
// single array they are along its first axis. Throws ValueError without keys,
// ShapeError, DeviceError.
Array lexsort(std::span<const Array> keys);
inline Array lexsort(std::initializer_list<Array> keys) {
  return lexsort(std::span(keys.begin(), keys.size()));
}
Array lexsort(const Array& keys);

// a.sort(axis), a.argsort(axis)
struct SortMethods {
  static void sort(const Array& a, Axis axis) { a.sort({.axis = axis}); }
  static Array argsort(const Array& a, std::optional<Axis> axis) {
    return a.argsort({.axis = axis});
  }
};

}  // namespace catena::array
