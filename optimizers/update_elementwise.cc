#include "catena/optimizers/update_elementwise.h"

#include <array>

#include "catena/array/aliasing.h"
#include "catena/array/elementwise.h"
#include "catena/array/error.h"

namespace catena::optimizers::internal {

void run_update(const KernelSlot<array::ElementwiseTable>& slot,
                std::initializer_list<Array> in,
                std::initializer_list<Array> inout, const void* op) {
  const Array& target = *inout.begin();
  std::array<array::KernelOperand, array::kMaxOperands> operands;
  size_t count = 0;
  const auto add = [&](const Array& a) {
    if (a.shape() != target.shape()) {
      raise<ShapeError>(slot.name, ": expected arrays of shape ",
                        target.shape(), ", got ", a.shape());
    }
    a.check_dtype(target.dtype(), slot.name);
    if (a.device() != target.device()) {
      raise<DeviceError>(slot.name, ": expected arrays on ", target.device(),
                         ", got ", a.device());
    }
    operands[count++] = array::KernelOperand(a);
  };
  for (const Array& a : in) add(a);
  for (const Array& a : inout) {
    array::check_writable(a, slot.name);
    add(a);
  }
  array::run_elementwise(slot, target.dtype(), {operands.data(), count}, op);
}

}  // namespace catena::optimizers::internal
