#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Deleting and inserting slices, and differences of neighbours. Without an axis
// the array is flattened first. All return new arrays and throw IndexError for
// an axis or index out of range.
namespace catena::array {

// The array without the slices at the indices along `axis`; repeated indices
// have no further effect. (`delete` is a C++ keyword.)
Array delete_(const Array& a, std::span<const int64_t> indices,
              const OptionalAxisOption& options = {});
inline Array delete_(const Array& a, std::initializer_list<int64_t> indices,
                     const OptionalAxisOption& options = {}) {
  return delete_(a, std::span(indices.begin(), indices.size()), options);
}
template <class = void>
Array delete_(const Array& a, std::span<const int64_t> indices,
              std::optional<Axis> axis) {
  return delete_(a, indices, {.axis = axis});
}
template <class = void>
Array delete_(const Array& a, std::initializer_list<int64_t> indices,
              std::optional<Axis> axis) {
  return delete_(a, indices, {.axis = axis});
}

// The array with values inserted before the slices at the indices along `axis`;
// an index equal to the extent appends. There is one new slice per index, in
// the given order for equal indices. `values` broadcasts to the new slices and
// is cast to a's dtype. Throws ShapeError.
Array insert(const Array& a, std::span<const int64_t> indices,
             const Operand& values, const OptionalAxisOption& options = {});
inline Array insert(const Array& a, std::initializer_list<int64_t> indices,
                    const Operand& values,
                    const OptionalAxisOption& options = {}) {
  return insert(a, std::span(indices.begin(), indices.size()), values, options);
}
template <class = void>
Array insert(const Array& a, std::span<const int64_t> indices,
             const Operand& values, std::optional<Axis> axis) {
  return insert(a, indices, values, {.axis = axis});
}
template <class = void>
Array insert(const Array& a, std::initializer_list<int64_t> indices,
             const Operand& values, std::optional<Axis> axis) {
  return insert(a, indices, values, {.axis = axis});
}

struct DiffOptions {
  NamedFieldsOnly keywords = {};
  int64_t n = 1;
  Axis axis = -1;
};
// a[1:] - a[:-1] along the axis, n times; for bool, whether the two differ.
// Throws ValueError when n is negative.
Array diff(const Array& a, int64_t n = 1, Axis axis = -1);
inline Array diff(const Array& a, const DiffOptions& options) {
  return diff(a, options.n, options.axis);
}

}  // namespace catena::array
