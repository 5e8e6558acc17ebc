#include "catena/array/output.h"

#include <algorithm>

#include "catena/array/aliasing.h"
#include "catena/array/core/error.h"
#include "catena/array/result_type.h"

namespace catena::array {

void check_out(const Array& out, Dtype dtype, Device device,
               std::string_view operation) {
  check_writable(out, operation);
  if (out.device() != device) {
    raise<DeviceError>(operation, ": expected the output on ", device, ", got ",
                       out.device());
  }
  if (!can_cast(dtype, out.dtype(), Casting::kSameKind)) {
    raise<DtypeError>(operation, ": cannot store ", dtype,
                      " results in an array of ", out.dtype());
  }
}

Output::Output(std::string_view operation, const Array& out, const Shape& shape,
               Dtype dtype, Device device)
    : out_(out), shape_(shape), dtype_(dtype), device_(device) {
  if (!out.defined()) return;
  check_out(out, dtype, device, operation);
  if (out.shape() != shape) {
    raise<ShapeError>(operation, ": expected an output of shape ", shape,
                      ", got ", out.shape());
  }
}

Array Output::room(Dtype dtype,
                   std::initializer_list<const Array*> inputs) const {
  const bool is_direct =
      out_.defined() && out_.dtype() == dtype && out_.is_contiguous() &&
      std::ranges::none_of(
          inputs, [&](const Array* a) { return may_share_memory(*a, out_); });
  return is_direct ? out_ : empty(shape_, dtype, device_);
}

Array Output::finish(const Array& result) const {
  if (out_.defined() && result.is_same(out_)) return result;
  Array cast = result.astype(dtype_, Array::CopyPolicy::kIfNeeded);
  if (!out_.defined()) return cast;
  out_.assign(cast);
  return out_;
}

}  // namespace catena::array
