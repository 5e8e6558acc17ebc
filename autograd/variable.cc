#include "catena/autograd/variable.h"

#include <array>
#include <new>
#include <ostream>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/data_layout.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/variable_node.h"

namespace catena {

Variable::Variable(Array data, const VariableOptions& options)
    : node_(new VariableNode(std::move(data), options.requires_grad)) {
  if (!options.name.empty()) node_->set_name(options.name);
  node_->set_volatility(options.volatility);
}

Variable::Variable(const Variable& other) noexcept : node_(other.node_) {
  if (node_ != nullptr) node_->acquire_handle();
}

void Variable::release(VariableNode* node) noexcept { node->release_handle(); }

Variable Variable::from_data(Array data, bool requires_grad) {
  return Variable(new VariableNode(std::move(data), requires_grad));
}

Variable Variable::from_node(VariableNode* node) {
  node->acquire_handle();
  return Variable(node);
}

Variable Variable::try_from_node(VariableNode* node) {
  return Variable(node->try_acquire_handle() ? node : nullptr);
}

VariableNode& Variable::checked_node() const {
  if (node_ == nullptr) {
    raise<ValueError>(
        "Variable: expected a defined variable, got an undefined "
        "one (default-constructed or moved from)");
  }
  return *node_;
}

const Array& Variable::data() const& { return checked_node().data(); }

void Variable::set_data(Array data) const {
  checked_node().set_data(std::move(data));
}

Array Variable::grad() const {
  const Variable& grad = checked_node().grad();
  return grad.defined() ? grad.data() : Array();
}

Array Variable::mutable_grad() const {
  const Variable& grad = checked_node().grad();
  if (!grad.defined()) return Array();
  const bool is_private = grad.node()->is_sole_handle() &&
                          grad.data().use_count() == 1 &&
                          grad.data().storage()->owned();
  if (!is_private) set_grad(copy_in_layout(grad.data(), device()));
  return checked_node().grad().data();
}

Variable Variable::grad_var() const { return checked_node().grad(); }

void Variable::set_grad(const Array& grad) const {
  if (!grad.defined()) return cleargrad();
  set_grad_var(as_variable(grad));
}

void Variable::set_grad_var(const Variable& grad) const {
  VariableNode& node = checked_node();
  if (grad.defined()) check_gradient(grad.data(), node, "set_grad");
  node.set_grad(grad);
}

void Variable::cleargrad() const { checked_node().set_grad(Variable()); }

void Variable::zerograd() const {
  const Array zeros = empty_in_layout_of(data(), data().dtype(), device());
  zeros.fill(0);
  set_grad(zeros);
}

void Variable::addgrad(const Variable& other) const {
  if (!other.grad_var().defined()) return;
  const Array added = other.grad().to_device(device());
  check_gradient(added, checked_node(), "addgrad");
  const Array own = grad();
  set_grad(own.defined() ? own + added : added.copy());
}

void Variable::copydata(const Variable& other) const {
  if (shape() != other.shape()) {
    raise<ShapeError>("copydata: expected shape ", shape(), ", got ",
                      other.shape());
  }
  data().assign(other.data().to_device(device()));
  node_->bump_version();
}

int64_t Variable::len() const {
  if (ndim() == 0) {
    raise<ShapeError>(
        "Variable::len: expected at least one axis, got a 0-d "
        "variable");
  }
  return shape()[0];
}

const std::string& Variable::name() const& { return checked_node().name(); }
void Variable::set_name(std::string name) const {
  checked_node().set_name(std::move(name));
}
std::string Variable::label() const { return checked_node().label(); }
int Variable::rank() const { return checked_node().rank(); }
bool Variable::requires_grad() const { return checked_node().requires_grad(); }

Flag Variable::volatility() const { return checked_node().volatility(); }

void Variable::set_volatility(Flag flag) const {
  checked_node().set_volatility(flag);
}

std::ostream& operator<<(std::ostream& os, Flag flag) {
  constexpr std::array<const char*, 3> kNames = {"auto", "off", "on"};
  return os << kNames[static_cast<size_t>(flag)];
}

Flag aggregate_flags(std::span<const Flag> flags) {
  // As bits, which FunctionNode adds up, too.
  unsigned all = 0;
  for (const Flag flag : flags) all |= static_cast<unsigned>(flag);
  if (all > static_cast<unsigned>(Flag::kOn)) {
    raise<ValueError>(
        "aggregate_flags: expected flags that are not both on and off");
  }
  return static_cast<Flag>(all);
}
FunctionNode* Variable::creator_node() const {
  return checked_node().creator();
}

void Variable::backward(const BackwardOptions& options) const try {
  catena::backward({*this}, {}, options);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("backward");
}

void Variable::unchain() const { checked_node().unchain(); }

void Variable::unchain_backward() const {
  // Unchains from the outputs back: the traversal does not continue through
  // functions that lost their inputs.
  std::vector<Ref<FunctionNode>> functions;
  const auto cut = [&](VariableNode& node) {
    if (node.creator() == nullptr) return;
    functions.emplace_back(node.creator());
    node.unchain();
  };
  cut(checked_node());
  while (!functions.empty()) {
    const Ref<FunctionNode> function = std::move(functions.back());
    functions.pop_back();
    for (const Ref<VariableNode>& input : function->inputs()) cut(*input);
    function->unchain();
  }
}

void Variable::to_device(Device device) const {
  VariableNode& node = checked_node();
  const auto moved_to = [device](const Array& a) {
    return !a.defined() || a.device() == device ? a : copy_in_layout(a, device);
  };
  Array moved = moved_to(node.data());
  const Array moved_grad = moved_to(grad());
  node.set_data(std::move(moved));
  set_grad(moved_grad);
}

Variable as_variable(Array data) {
  return Variable::from_data(std::move(data), /*requires_grad=*/false);
}

std::ostream& operator<<(std::ostream& os, const Variable& variable) {
  if (!variable.defined()) return os << "variable(undefined)";
  return os << "variable(" << variable.data() << ")";
}

}  // namespace catena
