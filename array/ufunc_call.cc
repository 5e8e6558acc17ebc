#include "catena/array/ufunc_call.h"

#include <algorithm>
#include <array>

#include "catena/array/aliasing.h"
#include "catena/array/error.h"

namespace catena::array {
namespace {

constexpr int kMaxArguments = 3;

// The largest argument list of the table, as shapes and devices see it.
struct Broadcast {
  Shape shape;
  Device device = current_device();
  const Array* first = nullptr;

  void include(const Array& a, std::string_view name) {
    if (first == nullptr) {
      first = &a;
      device = a.device();
      shape = a.shape();
      return;
    }
    if (a.device() != device) {
      raise<DeviceError>(name, ": expected operands on one device, got ",
                         device, " and ", a.device());
    }
    if (a.shape() != shape) shape = broadcast_shapes(shape, a.shape(), name);
  }
};

// A temporary operand that can hold the result, if there is one.
const Array* reusable_operand(std::span<const Operand* const> operands,
                              Dtype dtype, const Shape& shape) {
  for (const Operand* operand : operands) {
    if (operand->is_array() && operand->is_reusable() &&
        operand->array().dtype() == dtype &&
        operand->array().shape() == shape && operand->array().is_contiguous()) {
      return &operand->array();
    }
  }
  return nullptr;
}

bool any_overlaps(std::span<const Operand* const> operands, const Array& out) {
  return std::ranges::any_of(operands, [&](const Operand* operand) {
    return operand->is_array() && overlaps(operand->array(), out);
  });
}

// What `out` must be for results of this shape, dtype and device.
void check_out(const Array& out, const Shape& shape, Dtype dtype, Device device,
               std::string_view name) {
  check_writable(out, name);
  if (out.device() != device) {
    raise<DeviceError>(name, ": expected the output on ", device, ", got ",
                       out.device());
  }
  if (out.shape() != shape) {
    raise<ShapeError>(name, ": expected an output of shape ", shape, ", got ",
                      out.shape());
  }
  const bool narrows = kind_of(dtype) > kind_of(out.dtype()) &&
                       !(is_integral(dtype) && is_integral(out.dtype()));
  if (narrows) {
    raise<DtypeError>(name, ": cannot store ", dtype,
                      " results in an array of ", out.dtype());
  }
}

Dtype apply_rule(DtypeRule rule, Dtype dtype) {
  switch (rule) {
    case DtypeRule::kPromote:
      return dtype;
    case DtypeRule::kNumber:
      return dtype == Dtype::kBool ? Dtype::kInt8 : dtype;
    case DtypeRule::kTrueDivide:
      return is_floating(dtype) ? dtype : Dtype::kFloat64;
    case DtypeRule::kFloat:
      return is_floating(dtype) ? dtype : promote(dtype, Dtype::kFloat16);
  }
  return dtype;
}

// The operand that stands for all arrays among them when none is broadcast or
// has gaps: those of one shape, device and dtype (but for a condition's). Null
// when they differ.
const Array* common_layout(std::span<const Operand* const> operands,
                           bool has_condition) {
  const Array* common = nullptr;
  for (size_t i = operands.size(); i-- > 0;) {
    if (!operands[i]->is_array()) continue;
    const Array& a = operands[i]->array();
    if (common == nullptr) {
      common = &a;
      if (!a.is_contiguous()) return nullptr;
      continue;
    }
    const Dtype dtype =
        has_condition && i == 0 ? Dtype::kBool : common->dtype();
    if (a.dtype() != dtype || a.device() != common->device() ||
        !a.is_contiguous() || a.shape() != common->shape()) {
      return nullptr;
    }
  }
  return common;
}

// Whether results of that dtype may be written to `out` as the operands are
// read, which lie as `common` does. No output is as good as one.
bool is_plain_out(const Array* out, const Array& common,
                  std::span<const Operand* const> operands, Dtype dtype) {
  if (out == nullptr) return true;
  return out->is_contiguous() && out->dtype() == dtype &&
         out->shape() == common.shape() && out->device() == common.device() &&
         !any_overlaps(operands, *out);
}

// The result for operands of a common layout and the dtype `dtype` that the
// ufunc computes in: nothing to cast, to broadcast or to fold.
Array call_plain(const UfuncTraits& ufunc,
                 std::span<const Operand* const> operands, const void* op,
                 const Array& common, Dtype dtype, const Array* out) {
  const std::string_view name = ufunc.slot->name;
  ElementwiseKernel* kernel =
      find_elementwise_kernel(*ufunc.slot, common.device(), dtype);
  const Dtype result_dtype = ufunc.bool_result ? Dtype::kBool : dtype;
  const int count = static_cast<int>(operands.size());
  ElementwiseArgs args;
  args.device = common.device();
  args.ndim = 1;
  args.noperands = count + 1;
  args.size = args.shape[0] = common.size();
  args.op = op;
  const Array* reusable = nullptr;
  for (int i = 0; i < count; ++i) {
    ElementwiseArgs::Pointer& pointer = args.operands[i];
    const Operand& operand = *operands[i];
    if (operand.is_array()) {
      const Array& a = operand.array();
      pointer.data = a.raw_data();
      pointer.strides[0] = a.itemsize();
      pointer.is_immediate = false;
      if (operand.is_reusable() && a.dtype() == result_dtype) reusable = &a;
    } else {
      operand.scalar().store(pointer.immediate, dtype, name);
      pointer.data = pointer.immediate;
      pointer.strides[0] = 0;
      pointer.is_immediate = true;
    }
  }
  const Array result = out != nullptr        ? *out
                       : reusable != nullptr ? *reusable
                                             : empty_like(common, result_dtype);
  args.operands[count].data = result.raw_data();
  args.operands[count].strides[0] = result.itemsize();
  args.operands[count].is_immediate = false;
  if (args.size > 0) kernel(args);
  return result;
}

}  // namespace

Dtype ufunc_dtype(DtypeRule rule, std::span<const Operand* const> operands) {
  bool any_array = false;
  Dtype dtype = Dtype::kBool;
  for (const Operand* operand : operands) {
    if (!operand->is_array()) continue;
    dtype = any_array ? promote(dtype, operand->array().dtype())
                      : operand->array().dtype();
    any_array = true;
  }
  for (const Operand* operand : operands) {
    if (!operand->is_array()) dtype = operand->scalar().promoted_with(dtype);
  }
  return apply_rule(rule, dtype);
}

Array call_ufunc(const UfuncTraits& ufunc,
                 std::span<const Operand* const> operands, const void* op,
                 const Array* out) {
  if (const Array* common = common_layout(operands, ufunc.has_condition)) {
    Dtype dtype = common->dtype();
    for (const Operand* operand : operands) {
      if (!operand->is_array()) {
        dtype = operand->scalar().promoted_with(dtype);
      }
    }
    if (apply_rule(ufunc.rule, dtype) == common->dtype() &&
        is_plain_out(out, *common, operands,
                     ufunc.bool_result ? Dtype::kBool : common->dtype())) {
      return call_plain(ufunc, operands, op, *common, common->dtype(), out);
    }
  }
  const std::string_view name = ufunc.slot->name;
  Broadcast broadcast;
  for (const Operand* operand : operands) {
    if (operand->is_array()) broadcast.include(operand->array(), name);
  }
  const size_t first_value = ufunc.has_condition ? 1 : 0;
  const Dtype dtype = ufunc_dtype(ufunc.rule, operands.subspan(first_value));
  const Dtype result_dtype = ufunc.bool_result ? Dtype::kBool : dtype;

  if (out != nullptr) {
    check_out(*out, broadcast.shape, result_dtype, broadcast.device, name);
  }

  std::array<Array, kMaxArguments> casts;
  std::array<KernelOperand, kMaxArguments + 1> list;
  const int count = static_cast<int>(operands.size());
  for (int i = 0; i < count; ++i) {
    const Operand& operand = *operands[i];
    const bool is_condition = ufunc.has_condition && i == 0;
    const Dtype wanted = is_condition ? Dtype::kBool : dtype;
    if (!operand.is_array()) {
      list[i] = KernelOperand(operand.scalar(), wanted, name);
    } else if (operand.array().dtype() == wanted) {
      list[i] = KernelOperand(operand.array());
    } else {
      casts[i] = operand.array().astype(wanted);
      list[i] = KernelOperand(casts[i]);
    }
  }

  Array result;
  if (out != nullptr && out->dtype() == result_dtype &&
      !any_overlaps(operands, *out)) {
    result = *out;
  } else if (const Array* reusable =
                 reusable_operand(operands, result_dtype, broadcast.shape)) {
    result = *reusable;
  } else {
    result = empty(broadcast.shape, result_dtype, broadcast.device);
  }
  list[count] = KernelOperand(result);
  run_elementwise(*ufunc.slot, dtype, {list.data(), operands.size() + 1}, op);
  if (out != nullptr && !out->is_same(result)) out->assign(result);
  return result;
}

}  // namespace catena::array
