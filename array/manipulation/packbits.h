#pragma once

#include "catena/array/array.h"

namespace catena::array {

// Packs the flattened elements, as bits that are 1 for nonzero, into uint8: the
// first in the highest bit, the last byte padded with zeros. Throws DtypeError
// unless they are integers or bool.
Array packbits(const Array& a);

// The bits of the flattened bytes, highest first, each as a uint8. Throws
// DtypeError unless `a` is uint8.
Array unpackbits(const Array& a);

}  // namespace catena::array
