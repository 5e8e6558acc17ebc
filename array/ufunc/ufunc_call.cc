#include "catena/array/ufunc/ufunc_call.h"

#include <algorithm>
#include <array>

#include "catena/array/aliasing.h"
#include "catena/array/core/error.h"
#include "catena/array/image_order.h"
#include "catena/array/output.h"
#include "catena/array/ufunc/ufunc_traits.h"

namespace catena::array {
namespace {

// The common shape and device of the operands.
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
const Array* reusable_operand(OperandList operands, Dtype dtype,
                              const Shape& shape) {
  for (const Operand* operand : operands) {
    if (operand->is_array() && operand->is_reusable() &&
        operand->array().dtype() == dtype &&
        operand->array().shape() == shape && operand->array().is_contiguous()) {
      return &operand->array();
    }
  }
  return nullptr;
}

bool any_overlaps(OperandList operands, const Array& out) {
  return std::ranges::any_of(operands, [&](const Operand* operand) {
    return operand->is_array() && overlaps(operand->array(), out);
  });
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  const int added = to.ndim() - from.ndim();
  if (added < 0) return false;
  for (int i = 0; i < from.ndim(); ++i) {
    if (from[i] != 1 && from[i] != to[i + added]) return false;
  }
  return true;
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

// The smallest float that holds integers of all these dtypes. It can be smaller
// than that of their promotion: float16 holds int8 and uint8.
Dtype float_for_integers(OperandList operands) {
  Dtype dtype = Dtype::kFloat16;
  for (const Operand* operand : operands) {
    dtype = promote(dtype, operand->array().dtype());
  }
  return dtype;
}

// The dtype that a ufunc computes in for these operands.
Dtype dtype_of_operands(const UfuncTraits& ufunc, OperandList operands) {
  bool any_array = false;
  bool any_other = false;  // a number, or of a dtype of its own
  Dtype dtype = Dtype::kBool;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]->is_array() || ufunc.inputs[i].is_fixed()) {
      any_other = true;
      continue;
    }
    const Dtype own = operands[i]->array().dtype();
    dtype = any_array ? promote(dtype, own) : own;
    any_array = true;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i]->is_array() || ufunc.inputs[i].is_fixed()) continue;
    dtype = operands[i]->scalar().promoted_with(dtype);
  }
  if (ufunc.rule == DtypeRule::kFloat && !any_other && !is_floating(dtype)) {
    return float_for_integers(operands);
  }
  return apply_rule(ufunc.rule, dtype);
}

// Whether an operand may become an argument of that dtype.
bool can_become(const Operand& operand, Dtype dtype, Casting casting) {
  return operand.is_array() ? can_cast(operand.array().dtype(), dtype, casting)
                            : operand.scalar().promoted_with(dtype) == dtype;
}

// Arguments of fixed dtype accept safe casts; a dtype chosen by the caller
// accepts operands of the same or a lower kind.
void check_operand_dtypes(const UfuncTraits& ufunc, OperandList operands,
                          std::optional<Dtype> asked) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const ArgumentDtype input = ufunc.inputs[i];
    if (!input.is_fixed() && !asked.has_value()) continue;
    const Dtype wanted = input.resolve(asked.value_or(Dtype::kBool));
    const Casting casting =
        input.is_fixed() ? Casting::kSafe : Casting::kSameKind;
    if (can_become(*operands[i], wanted, casting)) continue;
    const Dtype own = operands[i]->is_array() ? operands[i]->array().dtype()
                                              : operands[i]->scalar().dtype();
    raise<DtypeError>(ufunc.slot->name, ": cannot cast operand ", i, " from ",
                      own, " to ", wanted);
  }
}

// The common layout of array operands if all are contiguous and of one shape.
struct Layout {
  const Array* array = nullptr;  // one of them; null when they differ
  Dtype dtype = Dtype::kBool;    // of those whose dtype is not fixed
};

Layout common_layout(const UfuncTraits& ufunc, OperandList operands) {
  Layout layout;
  bool has_dtype = false;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]->is_array()) continue;
    const Array& a = operands[i]->array();
    const ArgumentDtype input = ufunc.inputs[i];
    if (!has_dtype && !input.is_fixed()) {
      has_dtype = true;
      layout.dtype = a.dtype();
    }
    if (!a.is_contiguous() || a.dtype() != input.resolve(layout.dtype)) {
      return {};
    }
    if (layout.array == nullptr) {
      layout.array = &a;
    } else if (a.device() != layout.array->device() ||
               a.shape() != layout.array->shape()) {
      return {};
    }
  }
  return has_dtype ? layout : Layout();
}

// Whether results of that dtype can be written directly to `out`, for operands
// with the layout `common`. True for an undefined `out`.
bool is_plain_out(const Array& out, const Array& common, OperandList operands,
                  Dtype dtype) {
  if (!out.defined()) return true;
  return out.dtype() == dtype && same_layout(out, common) &&
         out.device() == common.device() && !any_overlaps(operands, out);
}

// The result for operands of a common layout in the compute dtype: no casts,
// broadcasting or merging of axes.
void call_plain(const UfuncTraits& ufunc, OperandList operands,
                const Layout& common, Array& result) {
  const std::string_view name = ufunc.slot->name;
  ElementwiseLoopFn* kernel = find_elementwise_kernel(
      *ufunc.slot, common.array->device(), common.dtype);
  const Dtype result_dtype = ufunc.outputs[0].resolve(common.dtype);
  ElementwiseArgs args;
  args.begin(common.array->device(), common.array->size(), ufunc.op);
  const Array* reusable = nullptr;
  for (const Operand* operand : operands) {
    if (!operand->is_array()) {
      operand->scalar().store(args.add_immediate(), common.dtype, name);
      continue;
    }
    const Array& a = operand->array();
    args.add(a);
    if (operand->is_reusable() && a.dtype() == result_dtype) reusable = &a;
  }
  if (!result.defined()) {
    result = reusable != nullptr ? *reusable
                                 : empty_like(*common.array, result_dtype);
  }
  args.add(result);
  if (args.size > 0) kernel(args);
}

// Whether the operands and the output allow call_plain.
bool is_plain(const UfuncTraits& ufunc, OperandList operands,
              const Layout& common, const Array& out) {
  Dtype dtype = common.dtype;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i]->is_array()) continue;
    const ArgumentDtype input = ufunc.inputs[i];
    if (input.is_fixed()) return false;
    dtype = operands[i]->scalar().promoted_with(dtype);
  }
  return apply_rule(ufunc.rule, dtype) == common.dtype &&
         is_plain_out(out, *common.array, operands,
                      ufunc.outputs[0].resolve(common.dtype));
}

// The operands as arguments of the ufunc, cast if necessary.
class Arguments {
 public:
  Arguments(const UfuncTraits& ufunc, OperandList operands, Dtype dtype)
      : count_(operands.size()) {
    for (size_t i = 0; i < operands.size(); ++i) {
      const Operand& operand = *operands[i];
      const Dtype wanted = ufunc.inputs[i].resolve(dtype);
      if (!operand.is_array()) {
        list_[i] = KernelOperand(operand.scalar(), wanted, ufunc.slot->name);
      } else if (operand.array().dtype() == wanted) {
        list_[i] = KernelOperand(operand.array());
      } else {
        casts_[i] = operand.array().astype(wanted);
        list_[i] = KernelOperand(casts_[i]);
      }
    }
  }

  void add_output(const Array& out) { list_[count_++] = KernelOperand(out); }
  std::span<const KernelOperand> list() const { return {list_.data(), count_}; }

 private:
  std::array<Array, kMaxUfuncInputs> casts_;
  std::array<KernelOperand, kMaxUfuncInputs + kMaxUfuncOutputs> list_;
  size_t count_;
};

// In the order of the first operand of that shape.
Array empty_result(OperandList operands, const Shape& shape, Dtype dtype,
                   Device device) {
  for (const Operand* operand : operands) {
    if (operand->is_array() && operand->array().shape() == shape) {
      return empty_in_order_of(operand->array(), shape, dtype);
    }
  }
  return empty(shape, dtype, device);
}

// The shape of the results: that of the operands, or of outputs to which they
// broadcast. Checks the outputs.
Shape check_outputs(const UfuncTraits& ufunc, const Broadcast& broadcast,
                    Dtype dtype, std::span<const Array> outs) {
  Shape shape = broadcast.shape;
  for (size_t i = 0; i < outs.size(); ++i) {
    if (!outs[i].defined()) continue;
    const std::string_view name = ufunc.slot->name;
    check_out(outs[i], ufunc.outputs[i].resolve(dtype), broadcast.device, name);
    if (!broadcasts_to(shape, outs[i].shape())) {
      raise<ShapeError>(name, ": expected an output of shape ", shape, ", got ",
                        outs[i].shape());
    }
    shape = outs[i].shape();
  }
  for (const Array& out : outs) {
    if (out.defined() && out.shape() != shape) {
      raise<ShapeError>(ufunc.slot->name,
                        ": expected outputs of one shape, got ", out.shape(),
                        " and ", shape);
    }
  }
  return shape;
}

// Whether results may be written to outs[i] while the operands are read.
bool is_direct(OperandList operands, std::span<const Array> outs, size_t i,
               const Shape& shape, Dtype dtype) {
  if (outs[i].dtype() != dtype || outs[i].shape() != shape ||
      any_overlaps(operands, outs[i])) {
    return false;
  }
  for (size_t k = 0; k < outs.size(); ++k) {
    if (k != i && outs[k].defined() && may_share_memory(outs[k], outs[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace

void call_ufunc(const UfuncTraits& ufunc, OperandList operands,
                std::span<Array> results, std::optional<Dtype> asked) {
  if (ufunc.check != nullptr) ufunc.check(operands);
  if (results.size() == 1 && !asked.has_value()) {
    const Layout common = common_layout(ufunc, operands);
    if (common.array != nullptr &&
        is_plain(ufunc, operands, common, results[0])) {
      return call_plain(ufunc, operands, common, results[0]);
    }
  }
  const std::string_view name = ufunc.slot->name;
  Broadcast broadcast;
  for (const Operand* operand : operands) {
    if (operand->is_array()) broadcast.include(operand->array(), name);
  }
  if (broadcast.first == nullptr && results[0].defined()) {
    broadcast.device = results[0].device();
  }
  check_operand_dtypes(ufunc, operands, asked);
  const Dtype dtype =
      asked.has_value() ? *asked : dtype_of_operands(ufunc, operands);
  const Shape shape = check_outputs(ufunc, broadcast, dtype, results);
  find_elementwise_kernel(*ufunc.slot, broadcast.device, dtype);

  Arguments arguments(ufunc, operands, dtype);
  std::array<Array, kMaxUfuncOutputs> written;
  for (size_t i = 0; i < results.size(); ++i) {
    const Dtype own = ufunc.outputs[i].resolve(dtype);
    const Array* reusable = nullptr;
    if (results[i].defined() && is_direct(operands, results, i, shape, own)) {
      written[i] = results[i];
    } else if (results.size() == 1 &&
               (reusable = reusable_operand(operands, own, shape))) {
      written[i] = *reusable;
    } else {
      written[i] = empty_result(operands, shape, own, broadcast.device);
    }
    arguments.add_output(written[i]);
  }
  run_elementwise(*ufunc.slot, dtype, arguments.list(), ufunc.op);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].defined()) {
      results[i] = std::move(written[i]);
    } else if (!results[i].is_same(written[i])) {
      results[i].assign(written[i]);
    }
  }
}

std::string_view Ufunc::name() const { return traits_->slot->name; }
int Ufunc::nin() const { return traits_->nin; }
int Ufunc::nout() const { return traits_->nout; }

std::vector<std::string> Ufunc::types() const {
  const ElementwiseTable& kernels = traits_->slot->on(native_device());
  std::vector<std::string> types;
  for (int i = 0; i < kDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    if (kernels[dtype] == nullptr) continue;
    std::string& type = types.emplace_back();
    const auto append = [&](ArgumentDtype argument) {
      type += "?bhilBHILeEfd"[static_cast<int>(argument.resolve(dtype))];
    };
    for (int k = 0; k < nin(); ++k) append(traits_->inputs[k]);
    type += "->";
    for (int k = 0; k < nout(); ++k) append(traits_->outputs[k]);
  }
  return types;
}

Array Ufunc::call(OperandList operands) const {
  Array result;
  call_ufunc(*traits_, operands, {&result, 1});
  return result;
}

Array Ufunc::call(OperandList operands, const UfuncOptions& options) const {
  Array result = options.out;
  call_ufunc(*traits_, operands, {&result, 1}, options.dtype);
  return result;
}

std::pair<Array, Array> Ufunc::call(OperandList operands,
                                    const UfuncPairOptions& options) const {
  Array results[] = {options.out1, options.out2};
  call_ufunc(*traits_, operands, results, options.dtype);
  return {std::move(results[0]), std::move(results[1])};
}

}  // namespace catena::array
