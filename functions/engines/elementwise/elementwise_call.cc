#include "catena/functions/engines/elementwise/elementwise_call.h"

#include <algorithm>
#include <array>

#include "catena/array/image_order.h"
#include "catena/functions/internal/broadcasting.h"

namespace catena::functions {
namespace {

bool all_match(std::span<const VariableRef> inputs, size_t count) {
  if (inputs.size() != count) return false;
  const Array& first = inputs[0]->node()->data();
  if (!is_floating(first.dtype())) return false;
  for (const VariableRef input : inputs.subspan(1)) {
    const Array& other = input->node()->data();
    if (other.dtype() != first.dtype()) return false;
    if (other.shape() != first.shape()) return false;
  }
  return true;
}

}  // namespace

void check_elementwise_types(TypeCheck& in,
                             std::span<const std::string_view> names) {
  if (all_match(in.inputs(), names.size())) [[likely]]
    return;
  in.set_names(names);
  in.expect_same_dtype();
  in.expect_broadcastable();
}

namespace {

// run_rule for contiguous operands of one shape: nothing to fold.
Array run_plain(const KernelSlot<array::ElementwiseTable>& slot, const void* op,
                std::initializer_list<const Array*> inputs) {
  const Array& first = **inputs.begin();
  array::ElementwiseLoopFn* kernel =
      array::find_elementwise_kernel(slot, first.device(), first.dtype());
  Array result = array::empty_like(first);
  array::ElementwiseArgs args;
  args.begin(first.device(), first.size(), op);
  const int64_t item = first.itemsize();
  for (const Array* input : inputs) args.add(input->raw_data(), item);
  args.add(result.raw_data(), item);
  if (args.size > 0) kernel(args);
  return result;
}

}  // namespace

Array run_rule(const KernelSlot<array::ElementwiseTable>& slot, const void* op,
               std::initializer_list<const Array*> inputs) {
  const Array& first = **inputs.begin();
  bool is_plain = true;
  for (const Array* input : inputs) {
    // The type check may be off.
    input->check_dtype(first.dtype(), slot.name);
    is_plain = is_plain && array::same_layout(*input, first);
  }
  if (is_plain) return run_plain(slot, op, inputs);

  Shape shape = first.shape();
  std::array<array::KernelOperand, array::kMaxOperands> operands;
  size_t count = 0;
  for (const Array* input : inputs) {
    shape = broadcast_shapes(shape, input->shape(), slot.name);
    operands[count++] = *input;
  }
  const auto* const whole = std::ranges::find_if(
      inputs, [&](const Array* input) { return input->shape() == shape; });
  Array result = whole != inputs.end()
                     ? array::empty_in_order_of(**whole, shape, first.dtype())
                     : array::empty(shape, first.dtype(), first.device());
  operands[count++] = result;
  array::run_elementwise(slot, first.dtype(), {operands.data(), count}, op);
  return result;
}

void sum_to_input(Variable& gradient, const VariableNode& input, bool records) {
  if (!gradient.defined() || gradient.shape() == input.shape()) return;
  if (records) {
    gradient = apply<SumTo>({gradient}, input.shape());
  } else {
    gradient = as_variable(sum_to_shape(gradient.data(), input.shape()));
  }
}

}  // namespace catena::functions
