#pragma once

#include "catena/array/array.h"
#include "catena/array/axis.h"

// Selection by one index along an axis for each position of the other axes, as
// returned by argsort and argmax.
namespace catena::array {

// result[i, j, ...] = a[i, indices[i, j, ...], ...] with the index at `axis`.
// `indices` has as many axes as `a`; the other axes broadcast. Throws
// DtypeError unless the indices are integers, ShapeError, IndexError naming
// index, axis and extent (on CUDA when the host next waits for the device; 0 is
// read there), DeviceError.
Array take_along_axis(const Array& a, const Array& indices,
                      const AxisOption& options);
template <class = void>
Array take_along_axis(const Array& a, const Array& indices, Axis axis) {
  return take_along_axis(a, indices, {.axis = axis});
}

// Sets the same elements of `a` to values, which broadcast and are cast to a's
// dtype; for a repeated element the last value wins. Throws ValueError when `a`
// is a broadcast view.
void put_along_axis(const Array& a, const Array& indices, const Operand& values,
                    const AxisOption& options);
template <class = void>
void put_along_axis(const Array& a, const Array& indices, const Operand& values,
                    Axis axis) {
  put_along_axis(a, indices, values, {.axis = axis});
}

}  // namespace catena::array
