#pragma once

#include "catena/array/array.h"

namespace catena::array {

// The flattened elements as bits, 1 for what is not 0: eight in a uint8, the
// first in the highest bit, the last byte filled up with zeros. DtypeError
// unless they are integers or bool.
Array packbits(const Array& a);

// The bits of the flattened bytes, one a uint8, the highest first. DtypeError
// unless they are uint8.
Array unpackbits(const Array& a);

}  // namespace catena::array
