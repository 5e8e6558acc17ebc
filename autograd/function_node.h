#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "catena/autograd/type_check.h"
#include "catena/autograd/variable.h"
#include "catena/autograd/variable_node.h"

namespace catena {

class FunctionHook;

// Positions of inputs or outputs, rising.
using Indexes = absl::InlinedVector<int, 4>;

// A differentiable function, applied once: forward works on arrays, backward
// on variables, by means of differentiable functions, so that gradients can be
// differentiated again. To write one, override label, check_type_forward,
// forward and backward; call it through apply<F>() below.
class FunctionNode : public cpu::Pooled {
 public:
  FunctionNode() = default;
  virtual ~FunctionNode();
  FunctionNode(const FunctionNode&) = delete;
  FunctionNode& operator=(const FunctionNode&) = delete;

  // What error messages, hooks and graphs call this function.
  virtual std::string_view label() const = 0;

  // Throws InvalidType, by way of the expect functions, unless forward can
  // work on the inputs.
  virtual void check_type_forward(TypeCheck& /*in*/) const {}

  // The outputs. Whatever backward needs must be retained here.
  virtual Arrays forward(const Arrays& inputs) = 0;

  // The gradients of the inputs at `wanted`, in that order; each undefined
  // where no gradient flows. A grad_outputs entry is undefined where nothing
  // that was differentiated depends on that output. May also return the
  // gradients of all inputs.
  virtual Variables backward(const Indexes& wanted,
                             const Variables& grad_outputs) = 0;

  // Applies the function: checks, forward, hooks, and the graph if one of the
  // inputs requires a gradient. Once per node (ValueError).
  Variables apply(std::span<const VariableRef> inputs) {
    return apply(Ref<FunctionNode>(this), inputs);
  }
  Variables apply(std::span<const Variable> inputs);
  // The same for a caller that has no further use for its reference.
  static Variables apply(Ref<FunctionNode> function,
                         std::span<const VariableRef> inputs);

  // For forward: keeps inputs or outputs for backward, nothing by default.
  void retain_inputs(std::initializer_list<int> indexes) {
    for (const int index : indexes) retain_input(index);
  }
  void retain_outputs(std::initializer_list<int> indexes) {
    for (const int index : indexes) retain_output(index);
  }
  void retain_input(int index);
  void retain_output(int index) { wanted_outputs_.push_back(index); }

  // For backward: a retained input or output as a variable of the graph, or
  // its array alone, which is all it takes when the pass is not recorded.
  Variable retained_input(int index) const;
  Variable retained_output(int index);
  const Array& retained_input_array(int index) const;
  const Array& retained_output_array(int index) const;

  std::span<const Ref<VariableNode>> inputs() const { return inputs_; }
  // Null where the output variable is gone.
  std::span<VariableNode* const> outputs() const { return outputs_; }
  int rank() const { return rank_; }
  // Cuts the function out of the graph.
  void unchain();

  // Hooks of this node alone, see function_hook.h. ValueError if the name
  // exists (add) or is unknown (delete).
  void add_hook(std::shared_ptr<FunctionHook> hook);
  void delete_hook(std::string_view name);
  std::span<const std::shared_ptr<FunctionHook>> local_function_hooks() const {
    if (hooks_ == nullptr) return {};
    return *hooks_;
  }

  void acquire() { references_.acquire(); }
  void release() noexcept {
    if (references_.release()) destroy();
  }

 private:
  friend class VariableNode;
  friend class BackwardPass;

  using Hooks = std::vector<std::shared_ptr<FunctionHook>>;

  struct Retained {
    int index;
    Array data;
  };

  void destroy() noexcept;
  [[noreturn]] void raise_undefined(std::span<const VariableRef> inputs) const;
  void check_devices(const Arrays& inputs) const;
  void check_types(std::span<const VariableRef> inputs) const;
  // The outputs, and whether they are to be connected to the inputs.
  Variables run(std::span<const VariableRef> inputs, bool& records);
  static void connect(Ref<FunctionNode> function,
                      std::span<const VariableRef> inputs, Variables& outputs);
  void check_retained(int index, size_t count, std::string_view what) const;
  const Array& retained_data(std::span<const Retained> retained, int index,
                             std::string_view what) const;

  RefCount references_;
  int rank_ = 0;
  bool applied_ = false;
  bool is_queued_ = false;
  absl::InlinedVector<Ref<VariableNode>, 2> inputs_;
  absl::InlinedVector<VariableNode*, 1> outputs_;
  absl::InlinedVector<Retained, 2> retained_inputs_;
  absl::InlinedVector<Retained, 1> retained_outputs_;
  // While forward runs and is recorded: its inputs.
  const Arrays* forward_inputs_ = nullptr;
  Indexes wanted_outputs_;
  std::unique_ptr<Hooks> hooks_;  // of most functions there are none
  FunctionNode* next_to_destroy_ = nullptr;
};

// Applies a new F(args...) to the inputs; all outputs, or the only one.
template <class F, class... Args>
Variables apply_all(std::span<const VariableRef> inputs, Args&&... args) {
  return FunctionNode::apply(
      Ref<FunctionNode>::adopt(new F(std::forward<Args>(args)...)), inputs);
}
template <class F, class... Args>
Variable apply(std::initializer_list<VariableRef> inputs, Args&&... args) {
  return std::move(
      apply_all<F>(std::span<const VariableRef>(inputs.begin(), inputs.size()),
                   std::forward<Args>(args)...)[0]);
}

// The same for a list of variables.
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
