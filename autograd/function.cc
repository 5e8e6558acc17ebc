#include "catena/autograd/function.h"

#include <algorithm>
#include <typeinfo>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/autograd/class_name.h"
#include "catena/autograd/config.h"
#include "catena/autograd/per_device.h"

namespace catena {
namespace {

// Puts an old-style function's gradients into a graph: forward computes them,
// and backward throws because they cannot be differentiated.
class OnceDifferentiable final : public FunctionNode {
 public:
  OnceDifferentiable(std::string_view label, Arrays gradients)
      : label_(label), gradients_(std::move(gradients)) {}

  std::string_view label() const override { return label_; }
  Arrays forward(const Arrays& /*inputs*/) override {
    return std::move(gradients_);
  }
  Variables backward(const Indexes&, const Variables&) override {
    raise<GradientError>(
        label_,
        ": an old-style Function cannot be differentiated twice; derive it "
        "from FunctionNode, whose backward is composed of functions");
  }

 private:
  std::string label_;
  Arrays gradients_;
};

}  // namespace

Function::Function(const Function& other)
    : std::enable_shared_from_this<Function>(), label_(other.label_) {}

Function::~Function() {
  if (node_ != nullptr) node_->function_ = nullptr;
}

std::string_view Function::label() const {
  if (label_.empty()) label_ = class_name(typeid(*this));
  return label_;
}

Arrays Function::forward(const Arrays& inputs) {
  return internal::is_on_host(inputs) ? forward_cpu(inputs)
                                      : forward_gpu(inputs);
}

Arrays Function::forward_cpu(const Arrays&) {
  internal::raise_not_overridden(label(), "forward or forward_cpu");
}

Arrays Function::forward_gpu(const Arrays&) {
  internal::raise_not_overridden(label(), "forward or forward_gpu");
}

Arrays Function::backward(const Arrays& inputs, const Arrays& grad_outputs) {
  for (const Array& gradient : grad_outputs) {
    if (gradient.defined() && !gradient.device().shares_host_memory()) {
      return backward_gpu(inputs, grad_outputs);
    }
  }
  return backward_cpu(inputs, grad_outputs);
}

Arrays Function::backward_cpu(const Arrays&, const Arrays&) {
  internal::raise_not_overridden(label(), "backward or backward_cpu");
}

Arrays Function::backward_gpu(const Arrays&, const Arrays&) {
  internal::raise_not_overridden(label(), "backward or backward_gpu");
}

FunctionNode& Function::node() {
  if (node_ == nullptr) {
    waiting_node_ = Ref<FunctionNode>::adopt(new FunctionAdapter(*this));
  }
  return *node_;
}

Variables Function::operator()(std::span<const Variable> inputs) {
  node();
  const Ref<FunctionNode> node = waiting_node_
                                     ? std::exchange(waiting_node_, {})
                                     : Ref<FunctionNode>(node_);
  node_->owner_ = shared_from_this();
  return node->apply(inputs);
}

const Array& Function::output_data(int index) {
  return node().retained_output_array(index);
}

FunctionAdapter::FunctionAdapter(Function& function) : function_(&function) {
  function.node_ = this;
}

FunctionAdapter::FunctionAdapter(std::shared_ptr<Function> function)
    : FunctionAdapter(*function) {
  owner_ = std::move(function);
}

FunctionAdapter::~FunctionAdapter() {
  if (function_ != nullptr) function_->node_ = nullptr;
}

Arrays FunctionAdapter::forward(const Arrays& inputs) {
  function_->retained_inputs_.reset();
  function_->retained_outputs_.clear();
  Arrays outputs = function_->forward(inputs);
  if (function_->retained_inputs_) {
    for (const int i : *function_->retained_inputs_) retain_input(i);
  } else {
    for (size_t i = 0; i < inputs.size(); ++i) {
      retain_input(static_cast<int>(i));
    }
  }
  for (const int i : function_->retained_outputs_) retain_output(i);
  return outputs;
}

bool FunctionAdapter::retains(int index) const {
  const auto& indexes = function_->retained_inputs_;
  return !indexes || std::ranges::find(*indexes, index) != indexes->end();
}

Arrays FunctionAdapter::gradients(const Indexes& wanted,
                                  const Arrays& grad_outputs) {
  Arrays data(inputs().size());
  for (size_t i = 0; i < data.size(); ++i) {
    const int index = static_cast<int>(i);
    if (retains(index)) data[i] = retained_input_array(index);
  }
  Arrays all = function_->backward(data, grad_outputs);
  if (all.size() != data.size()) {
    raise<GradientError>(label(), ": backward returned ", all.size(),
                         " gradients, expected ", data.size());
  }
  Arrays result;
  for (const int i : wanted) result.push_back(std::move(all[i]));
  return result;
}

Variables FunctionAdapter::backward(const Indexes& wanted,
                                    const Variables& grad_outputs) {
  Arrays arrays;
  Variables sources;
  for (const Variable& gradient : grad_outputs) {
    arrays.push_back(gradient.defined() ? gradient.data() : Array());
    if (gradient.defined()) sources.push_back(gradient);
  }
  const Arrays found = gradients(wanted, arrays);
  Variables result(found.size());
  Arrays flowing;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i].defined()) continue;
    flowing.push_back(found[i]);
    result[i] = as_variable(found[i]);
  }
  if (!config().enable_backprop || flowing.empty()) return result;
  // What the gradients were computed from, as far as known.
  for (size_t i = 0; i < inputs().size(); ++i) {
    const int index = static_cast<int>(i);
    if (retains(index)) sources.push_back(retained_input(index));
  }
  for (const int index : function_->retained_outputs_) {
    sources.push_back(retained_output(index));
  }
  const Variables recorded = apply_all<OnceDifferentiable>(
      std::span<const Variable>(sources), label(), std::move(flowing));
  size_t next = 0;
  for (Variable& gradient : result) {
    if (gradient.defined()) gradient = recorded[next++];
  }
  return result;
}

}  // namespace catena
