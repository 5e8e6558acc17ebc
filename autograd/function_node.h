#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "catena/autograd/call_stack.h"
#include "catena/autograd/type_check.h"
#include "catena/autograd/variable.h"
#include "catena/autograd/variable_node.h"

namespace catena {

class BackwardPass;
class FunctionDescription;
class FunctionHook;
class FunctionNode;

// Indices of inputs or outputs, in ascending order.
using Indexes = absl::InlinedVector<int, 4>;

// What other functions have contributed to the gradients of a function's
// inputs.
class GradientsSoFar {
 public:
  // Takes the sum for an input, undefined if there is none. Throws ValueError
  // unless the gradient of this input is wanted.
  Variable take(int input);

 private:
  friend class BackwardPass;
  GradientsSoFar(BackwardPass& pass, const FunctionNode& function,
                 const Indexes& wanted)
      : pass_(pass), function_(function), wanted_(wanted) {}

  BackwardPass& pass_;
  const FunctionNode& function_;
  const Indexes& wanted_;
  Indexes taken_;
};

// A differentiable function, applied once. forward works on arrays; backward
// works on variables and composes differentiable functions, so that gradients
// can be differentiated again. To write one, override label,
// check_type_forward, forward and backward, and call it through apply<F>()
// below.
class FunctionNode : public cpu::Pooled {
 public:
  FunctionNode() = default;
  virtual ~FunctionNode();
  FunctionNode(const FunctionNode&) = delete;
  FunctionNode& operator=(const FunctionNode&) = delete;

  // The name in error messages, hooks and graphs.
  virtual std::string_view label() const = 0;

  // What the function is, and its options, for those who read graphs, such as
  // execution plans and exporters: see function_description.h. Asked for only
  // by them, and by calls in autocast mode before forward, so it must not need
  // inputs. By default nothing: a function that readers do not know, and never
  // take for another.
  virtual FunctionDescription description() const;
  // Whether a call with the same inputs has the same results, and no other
  // effect. Return false from a function that draws random numbers or changes
  // arrays: what runs a call again, such as an execution plan, refuses it by
  // name. By default true, which plans check by a second call.
  virtual bool repeats() const { return true; }

  // Throws InvalidType, through the expect functions, unless forward accepts
  // the inputs.
  virtual void check_type_forward(TypeCheck& /*in*/) const {}

  // Computes the outputs. Must retain whatever backward needs. Override either
  // this, or forward_cpu and forward_gpu, which the default calls depending on
  // the first input's device. Throws NotImplementedError when nothing is
  // overridden.
  virtual Arrays forward(const Arrays& inputs);
  virtual Arrays forward_cpu(const Arrays& inputs);
  virtual Arrays forward_gpu(const Arrays& inputs);

  // Computes the gradients of the inputs at `wanted`, in that order, or of all
  // inputs; undefined where no gradient flows. A grad_outputs entry is
  // undefined where the differentiated outputs do not depend on it.
  virtual Variables backward(const Indexes& wanted,
                             const Variables& grad_outputs) = 0;
  // The same for a function that can add its gradients to others' faster than
  // by a sum afterwards: the gradients that it returns include those that it
  // takes from so_far. What the backward pass calls; by default backward(),
  // whose results the pass itself adds, in place where nobody sees it.
  virtual Variables backward_accumulate(const Indexes& wanted,
                                        const Variables& grad_outputs,
                                        GradientsSoFar& so_far);

  // Applies the function: type checks, hooks, forward, and recording in the
  // graph if an input requires a gradient. A second call throws ValueError.
  Variables apply(std::span<const VariableRef> inputs) {
    return apply(Ref<FunctionNode>(this), inputs);
  }
  Variables apply(std::span<const Variable> inputs);
  // Same as above, but takes over the caller's reference.
  static Variables apply(Ref<FunctionNode> function,
                         std::span<const VariableRef> inputs);
  // The same for a function on the stack. Call only if !may_be_kept().
  static Variables apply_once(FunctionNode& function,
                              std::span<const VariableRef> inputs) {
    bool records = false;
    return function.run(inputs, records);
  }
  // Whether something may refer to a function after its call with these
  // inputs: the graph or a hook.
  static bool may_be_kept(std::span<const VariableRef> inputs);

  // Call in forward: keeps inputs or outputs for backward; the default is none.
  void retain_inputs(std::initializer_list<int> indexes) {
    for (const int index : indexes) retain_input(index);
  }
  void retain_outputs(std::initializer_list<int> indexes) {
    for (const int index : indexes) retain_output(index);
  }
  void retain_input(int index);
  void retain_output(int index) {
    if (!recorded_inputs_.empty()) wanted_outputs_.push_back(index);
  }
  // For products of inputs 0 and 1: keeps each if the gradient of the other can
  // be asked for.
  void retain_factors() {
    if (is_differentiated(1)) retain_input(0);
    if (is_differentiated(0)) retain_input(1);
  }

  // Call in forward: whether backward may be asked for the gradient of an
  // input. Retaining what only other gradients read would waste memory. Throws
  // IndexError, where a graph is recorded, when there is no such input.
  bool is_differentiated(int index) const {
    if (recorded_inputs_.empty()) return false;
    if (static_cast<size_t>(index) >= recorded_inputs_.size()) [[unlikely]]
      throw_no_input(index);
    return recorded_inputs_[index]->node()->requires_grad();
  }

  // Call in backward: a retained input or output, as a variable of the graph or
  // as a plain array, which suffices when the pass is not recorded.
  Variable retained_input(int index) const;
  Variable retained_output(int index);
  const Array& retained_input_array(int index) const;
  const Array& retained_output_array(int index) const;

  // An input's array if anybody still holds it, a variable or this node, else
  // undefined.
  Array kept_input(int index) const;

  std::span<const Ref<VariableNode>> inputs() const { return inputs_; }
  // Null where the output variable has been destroyed.
  std::span<VariableNode* const> outputs() const { return outputs_; }
  int rank() const { return rank_; }
  // Disconnects the function from the graph.
  void unchain();

  // Hooks of this node only; see function_hook.h. The name defaults to the
  // hook's. Throws ValueError when the name exists (add) or is unknown
  // (delete).
  void add_hook(std::shared_ptr<FunctionHook> hook, std::string name = {});
  void delete_hook(std::string_view name);
  std::span<const std::shared_ptr<FunctionHook>> local_function_hooks() const {
    if (extras_ == nullptr) return {};
    return extras_->hooks;
  }

  // In debug mode, the calls that led to apply(), as in CallStack::to_string;
  // else empty.
  std::string stack() const {
    return extras_ == nullptr ? std::string() : extras_->stack.to_string();
  }

  // For Ref, which counts references.
  void acquire() { references_.acquire(); }
  void release() noexcept {
    if (references_.release()) destroy();
  }

 private:
  friend class VariableNode;
  friend class BackwardPass;

  // What most functions do not have.
  struct Extras {
    std::vector<std::shared_ptr<FunctionHook>> hooks;
    std::vector<std::string> names;  // of the hooks
    CallStack stack;
  };

  struct Retained {
    int index;
    Array data;
  };

  void destroy() noexcept;
  Extras& extras();
  // For errors.
  CallStack applied() const {
    return extras_ == nullptr ? CallStack() : extras_->stack;
  }
  [[noreturn]] void raise_undefined(std::span<const VariableRef> inputs) const;
  [[noreturn]] void raise_mixed_flags() const;
  [[noreturn]] void raise_mixed_devices(const Arrays& inputs) const;
  void check_types(std::span<const VariableRef> inputs) const;
  // Returns the outputs; `records` says whether to connect them to the inputs.
  Variables run(std::span<const VariableRef> inputs, bool& records);
  // The same with inputs in the dtypes that config().autocast asks for, to
  // which it connects the outputs itself.
  Variables run_in_autocast(std::span<const VariableRef> inputs, bool& records);
  static void connect(Ref<FunctionNode> function,
                      std::span<const VariableRef> inputs, Variables& outputs);
  void check_retained(int index, size_t count, std::string_view what) const;
  [[noreturn]] void throw_no_input(int index) const;
  const Array& retained_data(std::span<const Retained> retained, int index,
                             std::string_view what) const;

  RefCount references_;
  int rank_ = 0;
  bool applied_ = false;
  bool is_cast_ = false;  // the inputs of run() are those of run_in_autocast()
  bool is_queued_ = false;
  absl::InlinedVector<Ref<VariableNode>, 2> inputs_;
  absl::InlinedVector<VariableNode*, 1> outputs_;
  absl::InlinedVector<Retained, 2> retained_inputs_;
  absl::InlinedVector<Retained, 1> retained_outputs_;
  // The inputs, set while a recorded forward runs; otherwise there will be no
  // backward, and nothing is retained.
  std::span<const VariableRef> recorded_inputs_;
  Indexes wanted_outputs_;
  std::unique_ptr<Extras> extras_;
  FunctionNode* next_to_destroy_ = nullptr;
};

// Applies a new F(args...) to the inputs and returns all outputs, or the only
// one.
template <class F, class... Args>
Variables apply_all(std::span<const VariableRef> inputs, Args&&... args) {
  if (!FunctionNode::may_be_kept(inputs)) {
    F function(std::forward<Args>(args)...);
    return FunctionNode::apply_once(function, inputs);
  }
  return FunctionNode::apply(
      Ref<FunctionNode>::adopt(new F(std::forward<Args>(args)...)), inputs);
}
template <class F, class... Args>
Variables apply_all(std::initializer_list<VariableRef> inputs, Args&&... args) {
  return apply_all<F>(
      std::span<const VariableRef>(inputs.begin(), inputs.size()),
      std::forward<Args>(args)...);
}
template <class F, class... Args>
Variable apply(std::initializer_list<VariableRef> inputs, Args&&... args) {
  return std::move(apply_all<F>(inputs, std::forward<Args>(args)...)[0]);
}

// References to a list of variables.
absl::InlinedVector<VariableRef, 4> refs_of(std::span<const Variable> inputs);
template <class F, class... Args>
Variables apply_all(std::span<const Variable> inputs, Args&&... args) {
  const auto refs = refs_of(inputs);
  return apply_all<F>(std::span<const VariableRef>(refs),
                      std::forward<Args>(args)...);
}
template <class F, class... Args>
Variable apply(std::span<const Variable> inputs, Args&&... args) {
  return std::move(apply_all<F>(inputs, std::forward<Args>(args)...)[0]);
}

}  // namespace catena
