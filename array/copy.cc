// Copies, casts and fills: everything that moves elements between layouts,
// dtypes and devices.

#include "catena/array/aliasing.h"
#include "catena/array/array.h"
#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"
#include "catena/array/elementwise.h"
#include "catena/array/image_order.h"
#include "catena/array/kernels/cast_ops.h"
#include "catena/array/kernels/kernel_slot.h"

namespace catena {
namespace {

const KernelSlot<array::ElementwiseTable>& cast_slot(Dtype to) {
  return visit_dtype(
      to, [](auto tag) -> const auto& {
        return kernel_slot<array::CastFamily, array::CastTo<decltype(tag)>>;
      });
}

// Copies `from`, cast and broadcast, into `to` on the same device.
void cast_into(const array::KernelOperand& from, Dtype from_dtype,
               const Array& to) {
  const array::KernelOperand operands[] = {from, to};
  const char unused_op = 0;
  array::run_elementwise(cast_slot(to.dtype()), from_dtype, operands,
                         &unused_op);
}

void copy_elements(const Array& from, const Array& to) {
  const bool plain = from.dtype() == to.dtype() && from.is_contiguous() &&
                     to.is_contiguous() && from.shape() == to.shape();
  if (plain) {
    if (from.size() == 0) return;
    require_device(from.device(), "copy")
        .copy(to.raw_data(), to.device(), from.raw_data(), from.device(),
              from.nbytes());
  } else {
    cast_into(from, from.dtype(), to);
  }
}

}  // namespace

Array Array::copy() const {
  Array result = array::empty_like(*this);
  copy_elements(*this, result);
  return result;
}

Array Array::astype(Dtype dtype, CopyPolicy copy) const {
  if (copy == CopyPolicy::kIfNeeded && dtype == this->dtype()) return *this;
  Array result = array::empty_in_order_of(*this, shape(), dtype);
  copy_elements(*this, result);
  return result;
}

Array Array::contiguous() const { return is_contiguous() ? *this : copy(); }

Array Array::to_device(Device device) const {
  if (device == this->device()) return *this;
  const Array source = contiguous();
  Array result = array::empty(shape(), dtype(), device);
  if (size() == 0) return result;
  // Between two backends, the one that is not the host's handles the copy.
  const Device actor = device.shares_host_memory() ? source.device() : device;
  require_device(actor, "to_device")
      .copy(result.raw_data(), device, source.raw_data(), source.device(),
            source.nbytes());
  return result;
}

void Array::fill(Scalar value) const {
  array::check_writable(*this, "fill");
  const array::KernelOperand number(value, dtype(), "fill");
  cast_into(number, dtype(), *this);
}

void Array::assign(const Array& source) const {
  array::check_writable(*this, "assign");
  if (broadcast_shapes(source.shape(), shape(), "assign") != shape()) {
    raise<ShapeError>("assign: cannot broadcast shape ", source.shape(), " to ",
                      shape());
  }
  const Array own = source.to_device(device());
  copy_elements(array::overlaps(own, *this) ? own.copy() : own, *this);
}

}  // namespace catena
