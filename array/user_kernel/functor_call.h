#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/elementwise.h"

namespace catena::array::internal {

// Operands of the types of a functor, checked and ready for a kernel.
struct FunctorCall {
  Device device;
  Shape shape;
  std::vector<KernelOperand> operands;
};

// ValueError, DtypeError, ShapeError and DeviceError, naming the operation and
// the argument, unless there are as many as dtypes, which fit.
FunctorCall settle_functor_call(std::span<const Operand> args,
                                std::span<const Dtype> dtypes,
                                std::string_view operation);

}  // namespace catena::array::internal
