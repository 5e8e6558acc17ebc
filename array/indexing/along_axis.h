#pragma once

#include "catena/array/array.h"

// Elements chosen by an index along one axis for every place of the others, as
// argsort and argmax return them.
namespace catena::array {

// result[i, j, ...] = a[i, indices[i, j, ...], ...] with the index in the place
// of `axis`. `indices` has as many axes as `a`; over the other axes the two
// broadcast. DtypeError unless the indices are integers, ShapeError,
// IndexError naming index, axis and extent, DeviceError.
Array take_along_axis(const Array& a, const Array& indices, int64_t axis);

// The same places of `a` are set to values, which broadcast to them and are
// cast to a's dtype; of values for one element the last remains. ValueError
// when `a` is a broadcast view.
void put_along_axis(const Array& a, const Array& indices, const Operand& values,
                    int64_t axis);

}  // namespace catena::array
