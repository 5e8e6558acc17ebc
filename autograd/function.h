#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "catena/autograd/function_node.h"

// Old-style functions, whose backward works on arrays just like forward. They
// are simpler to write than a FunctionNode but cannot be differentiated twice.
// docs/own_function.md shows both.
namespace catena {

class FunctionAdapter;

//   class MulAdd : public Function {
//    public:
//     Arrays forward(const Arrays& x) override {
//       return {x[0] * x[1] + x[2]};
//     }
//     Arrays backward(const Arrays& x, const Arrays& gy) override {
//       return {x[1] * gy[0], x[0] * gy[0], gy[0]};
//     }
//   };
//
//   Variable y = apply_function<MulAdd>({a, b, c});
//
// A function is a node of the graph: applying it again throws ValueError,
// unless the first call was not recorded. Apply a copy instead, which has not
// been applied:
//
//   const auto again = std::make_shared<MulAdd>(*function);
//
class Function : public std::enable_shared_from_this<Function> {
 public:
  Function() = default;
  virtual ~Function();
  Function& operator=(const Function&) = delete;

  // The name in error messages, hooks and graphs; defaults to the class name.
  virtual std::string_view label() const;

  // Throws InvalidType unless forward can work on the inputs.
  virtual void check_type_forward(TypeCheck& /*in*/) const {}

  // Computes the outputs. Override either this, or forward_cpu and forward_gpu,
  // which the default calls depending on the first input's device. Throws
  // NotImplementedError when nothing is overridden.
  virtual Arrays forward(const Arrays& inputs);
  virtual Arrays forward_cpu(const Arrays& inputs);
  virtual Arrays forward_gpu(const Arrays& inputs);

  // Computes the gradients of all inputs, undefined where no gradient flows;
  // override it like forward. An entry of grad_outputs is undefined where
  // nothing depends on that output, an input where forward did not retain it.
  virtual Arrays backward(const Arrays& inputs, const Arrays& grad_outputs);
  virtual Arrays backward_cpu(const Arrays& inputs, const Arrays& grad_outputs);
  virtual Arrays backward_gpu(const Arrays& inputs, const Arrays& grad_outputs);

  // Applies the function and returns all outputs. The function must have been
  // created by std::make_shared.
  Variables operator()(std::span<const Variable> inputs);
  Variables operator()(std::initializer_list<Variable> inputs) {
    return (*this)(std::span<const Variable>(inputs.begin(), inputs.size()));
  }

  // The function's node in the graph, created on demand before the first call.
  FunctionNode& node();
  // See FunctionNode.
  std::span<const Ref<VariableNode>> inputs() { return node().inputs(); }
  std::span<VariableNode* const> outputs() { return node().outputs(); }
  int rank() { return node().rank(); }
  void unchain() { node().unchain(); }
  void add_hook(std::shared_ptr<FunctionHook> hook, std::string name = {}) {
    node().add_hook(std::move(hook), std::move(name));
  }
  void delete_hook(std::string_view name) { node().delete_hook(name); }
  std::span<const std::shared_ptr<FunctionHook>> local_function_hooks() {
    return node().local_function_hooks();
  }
  std::string stack() { return node().stack(); }

 protected:
  // Copies what derived classes have, not the node. Protected to prevent
  // slicing.
  Function(const Function& other);

  // Call in forward: keeps only these inputs for backward, instead of all.
  void retain_inputs(std::initializer_list<int> indexes) {
    retained_inputs_ = Indexes(indexes);
  }
  // Call in forward: keeps outputs for backward; the default is none.
  void retain_outputs(std::initializer_list<int> indexes) {
    retained_outputs_ = Indexes(indexes);
  }
  // Call in backward: an output that forward retained. Throws GradientError for
  // any other.
  const Array& output_data(int index);

 private:
  friend class FunctionAdapter;

  mutable std::string label_;
  std::optional<Indexes> retained_inputs_;
  Indexes retained_outputs_;
  FunctionAdapter* node_ = nullptr;
  // Set only until the first call; afterwards the graph holds the node.
  Ref<FunctionNode> waiting_node_;
};

// Wraps a Function as a FunctionNode. Its gradients may be part of a recorded
// graph, but differentiating through them throws GradientError.
class FunctionAdapter final : public FunctionNode {
 public:
  explicit FunctionAdapter(std::shared_ptr<Function> function);
  ~FunctionAdapter() override;

  // Null once destroyed, which can only happen before the first call.
  Function* function() const { return function_; }

  std::string_view label() const override { return function_->label(); }
  void check_type_forward(TypeCheck& in) const override {
    function_->check_type_forward(in);
  }
  Arrays forward(const Arrays& inputs) override;
  Variables backward(const Indexes& wanted,
                     const Variables& grad_outputs) override;

 private:
  friend class Function;

  explicit FunctionAdapter(Function& function);
  // Whether forward retained an input.
  bool retains(int index) const;
  // The gradients of the inputs at `wanted`.
  Arrays gradients(const Indexes& wanted, const Arrays& grad_outputs);

  Function* function_;
  // Set by the first call.
  std::shared_ptr<Function> owner_;
};

// Applies a new F(args...) to the inputs and returns its only output.
template <class F, class... Args>
Variable apply_function(std::initializer_list<Variable> inputs,
                        Args&&... args) {
  return (*std::make_shared<F>(std::forward<Args>(args)...))(inputs)[0];
}

}  // namespace catena
