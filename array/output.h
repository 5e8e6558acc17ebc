#pragma once

#include <initializer_list>
#include <string_view>

#include "catena/array/array.h"

// The option `out`: where functions write a result of known shape.
namespace catena::array {

// Throws naming `operation` unless results of this dtype and device can be
// written to `out`: ValueError for a view whose elements share memory,
// DeviceError, and DtypeError unless Casting::kSameKind allows the cast.
void check_out(const Array& out, Dtype dtype, Device device,
               std::string_view operation);

// The result of one call: in `out`, or in a new array if `out` is undefined.
// Refers to its arguments.
//
//   const Output output("f", options.out, shape, dtype, a.device());
//   const Array result = output.room({&a});
//   ...  // a kernel writes to it
//   return output.finish(result);
class Output {
 public:
  // Checks `out` as check_out does, and throws ShapeError unless it has the
  // shape of the result.
  Output(std::string_view operation, const Array& out, const Shape& shape,
         Dtype dtype, Device device);

  const Shape& shape() const { return shape_; }

  // An array in C order for the result as `dtype`: `out`, if it is one and
  // shares no memory with the inputs, else a new one.
  Array room(Dtype dtype, std::initializer_list<const Array*> inputs) const;
  Array room(std::initializer_list<const Array*> inputs) const {
    return room(dtype_, inputs);
  }

  // The result, cast to its dtype: written to `out`, unless it is there
  // already, and returned.
  Array finish(const Array& result) const;

 private:
  const Array& out_;
  const Shape& shape_;
  Dtype dtype_;
  Device device_;
};

}  // namespace catena::array
