#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "catena/array/array.h"

// Sorting along an axis. Every dtype is sorted by its bits in linear time; NaN
// of either sign comes last, as in NumPy. The same order comes on every device
// and for every number of threads.
//
// All throw IndexError for an axis out of range.
namespace catena::array {

// The axis to sort along; absent, the array is flattened first.
using SortAxis = std::optional<int64_t>;

// The elements in rising order, a new array. -0.0 comes before 0.0.
Array sort(const Array& a, SortAxis axis = -1);
// sort along the first axis.
Array msort(const Array& a);

// The positions that sort: take_along_axis(a, argsort(a), -1) is sorted. int64.
// Always stable: equal elements, such as -0.0 and 0.0 or two NaN, keep their
// order (NumPy's kind="stable").
Array argsort(const Array& a, SortAxis axis = -1);

// An order in which the element at position kth, along the axis, is where it
// would be if all were sorted, with none larger before it and none smaller
// behind. Here everything is sorted, which is such an order: a pass of radix
// sort is no slower than selection. kth counts from the end when negative;
// IndexError when it is out of range.
Array partition(const Array& a, int64_t kth, SortAxis axis = -1);
Array argpartition(const Array& a, int64_t kth, SortAxis axis = -1);

// The positions, along the last axis of the keys, that sort by the last key, by
// the one before where that is equal, and so on. The keys have one shape; given
// as one array, they lie along its first axis. Stable; int64. ValueError
// without keys, ShapeError, DeviceError.
Array lexsort(std::span<const Array> keys);
inline Array lexsort(std::initializer_list<Array> keys) {
  return lexsort(std::span(keys.begin(), keys.size()));
}
Array lexsort(const Array& keys);

}  // namespace catena::array
