#include "catena/array/manipulation/packbits.h"

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

// The value of each bit of a byte.
Array bit_values(Device device) {
  return array({128, 64, 32, 16, 8, 4, 2, 1}, Dtype::kUInt8, device);
}

}  // namespace

Array packbits(const Array& a) {
  if (is_floating(a.dtype())) {
    raise<DtypeError>("packbits: expected integers or bool, got ", a.dtype());
  }
  const Array bits = zeros({(a.size() + 7) / 8, 8}, Dtype::kUInt8, a.device());
  bits.ravel()[{Slice(0, a.size())}].assign(a.ravel().astype(Dtype::kBool));
  return sum(multiply(bits, bit_values(a.device())),
             {.axis = -1, .dtype = Dtype::kUInt8});
}

Array unpackbits(const Array& a) {
  if (a.dtype() != Dtype::kUInt8) {
    raise<DtypeError>("unpackbits: expected uint8, got ", a.dtype());
  }
  const Array shifted =
      floor_divide(a.reshape({a.size(), 1}), bit_values(a.device()));
  return remainder(shifted, 2).ravel();
}

}  // namespace catena::array
