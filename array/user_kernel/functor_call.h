#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/elementwise.h"

namespace catena::array::internal {

// Checked operands with the types of a functor's parameters, ready for a
// kernel.
struct FunctorCall {
  Device device;
  Shape shape;
  std::vector<KernelOperand> operands;
};

// Throws ValueError, DtypeError, ShapeError or DeviceError, naming the
// operation and the argument, unless the arguments match `dtypes` in number and
// type.
FunctorCall settle_functor_call(std::span<const Operand> args,
                                std::span<const Dtype> dtypes,
                                std::string_view operation);

}  // namespace catena::array::internal
