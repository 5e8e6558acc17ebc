#include "catena/autograd/parameter.h"

#include <atomic>
#include <exception>
#include <utility>

#include "catena/array/channels_last.h"
#include "catena/array/core/error.h"
#include "catena/autograd/autocast.h"
#include "catena/autograd/config.h"
#include "catena/autograd/data_layout.h"
#include "catena/autograd/unfilled_parameters.h"
#include "catena/autograd/variable_node.h"

namespace catena {

struct Parameter::Node final : VariableNode {
  explicit Node(Initializer initial, std::string name, Device device)
      : VariableNode(Array(), /*requires_grad=*/true),
        initializer(std::move(initial)),
        device(device) {
    if (!name.empty()) set_name(std::move(name));
  }

  Initializer initializer;
  // The device to initialize on.
  Device device;
  std::shared_ptr<UpdateRuleBase> update_rule;
  int64_t n_changes = 0;
  // Whether initialize() fills the gradient with zeros.
  bool zeroes_grad = false;
  // Whether it reorders the data.
  bool is_channels_last = false;

  int64_t version() const override { return n_changes; }
  void bump_version() override {
    ++n_changes;
    // Other parameters may share the array.
    internal::drop_autocast_copies();
  }

  using VariableNode::set_requires_grad;
};

namespace {

constinit thread_local InitializationScope* outermost_scope = nullptr;

Array reordered(const Array& data) {
  return data.ndim() < 4 ? data : array::in_channels_last(data);
}

}  // namespace

InitializationScope::InitializationScope()
    : is_outermost_(outermost_scope == nullptr) {
  if (is_outermost_) outermost_scope = this;
}

InitializationScope::~InitializationScope() {
  if (!is_outermost_) return;
  outermost_scope = nullptr;
  if (undo_.empty() || std::uncaught_exceptions() == 0) return;
  for (const auto& undo : undo_) undo();
}

void InitializationScope::add(std::function<void()> undo) {
  if (outermost_scope != nullptr) {
    outermost_scope->undo_.push_back(std::move(undo));
  }
}

Initializer::Initializer(Scalar value)
    : fill_([value](const Array& out) { out.fill(value); }) {}

Initializer::Initializer(Array values)
    : fill_([values = std::move(values)](const Array& out) {
        if (!values.defined()) {
          raise<ValueError>("Initializer: expected an array, got none");
        }
        out.assign(values.to_device(out.device()));
      }) {}

void Initializer::operator()(const Array& out) const {
  if (UnfilledParameters::is_active()) return;
  if (fill_) {
    fill_(out);
  } else {
    out.fill(0);
  }
}

Parameter::Parameter(Initializer initializer, std::optional<Shape> shape,
                     std::string name)
    : Variable(
          new Node(std::move(initializer), std::move(name), current_device())) {
  if (shape) initialize_with(*shape, this->initializer());
}

Parameter::Parameter(const Array& data, std::string name)
    : Variable(new Node(Initializer(), std::move(name), data.device())) {
  set_data(data);
}

Parameter::Node& Parameter::parameter_node() const {
  if (auto* node = dynamic_cast<Node*>(&checked_node())) return *node;
  raise<ValueError>("Parameter: a hook replaces ", label(),
                    " by a computed variable during this call");
}

void Parameter::initialize(const Shape& shape) const {
  if (is_initialized()) {
    if (data().shape() != shape) {
      raise<ShapeError>(
          "Parameter::initialize: ", label(),
          " is already initialized; cannot initialize it to shape ", shape);
    }
    return;
  }
  const bool zeroes_grad = parameter_node().zeroes_grad;
  initialize_with(shape, initializer());
  InitializationScope::add([param = *this, zeroes_grad] {
    param.cleargrad();
    param.set_data(Array());
    param.parameter_node().zeroes_grad = zeroes_grad;
  });
}

void Parameter::initialize(const Array& data) const {
  const Node& node = parameter_node();
  if (is_initialized()) {
    raise<ValueError>("Parameter::initialize: ", label(),
                      " is already initialized");
  }
  if (data.device() != node.device) {
    raise<DeviceError>("Parameter::initialize: expected data of ", label(),
                       " on ", node.device, ", got them on ", data.device());
  }
  set_data(node.is_channels_last ? reordered(data) : data);
  if (node.zeroes_grad) zerograd();
}

void Parameter::initialize_with(const Shape& shape,
                                const InitializerFunction& fill) const {
  const Node& node = parameter_node();
  const Array data = array::empty(
      shape, node.initializer.dtype().value_or(config().dtype), node.device);
  try {
    fill(data);
  } catch (Error& error) {
    const std::string& name = node.name();
    error.prepend(
        str("Parameter::initialize: ", name.empty() ? "a parameter" : name,
            " of shape ", shape, ": "));
    throw;
  }
  initialize(data);
}

const Initializer& Parameter::initializer() const {
  return parameter_node().initializer;
}

void Parameter::to_device(Device device) const {
  if (is_initialized()) Variable::to_device(device);
  parameter_node().device = device;
}

void Parameter::to_channels_last() const {
  parameter_node().is_channels_last = true;
  if (!is_initialized()) return;
  const Array gradient = grad();
  set_data(reordered(data()));
  if (gradient.defined()) set_grad(reordered(gradient));
}

void Parameter::cleargrad() const {
  parameter_node().zeroes_grad = false;
  Variable::cleargrad();
}

void Parameter::zerograd() const {
  if (is_frozen()) return;
  parameter_node().zeroes_grad = !is_initialized();
  if (is_initialized()) Variable::zerograd();
}

void Parameter::copydata(const Parameter& other) const {
  if (!is_initialized() && !other.is_initialized()) return;
  if (!other.is_initialized()) other.initialize(shape());
  if (is_initialized()) {
    Variable::copydata(other);
  } else {  // its initializer would draw random numbers for nothing
    initialize_with(other.shape(), [&](const Array& data) {
      data.assign(other.data().to_device(data.device()));
    });
  }
  bump_version();
}

void Parameter::freeze() const {
  cleargrad();
  parameter_node().set_requires_grad(false);
}

void Parameter::unfreeze() const { parameter_node().set_requires_grad(true); }

void Parameter::update() const {
  if (const auto& rule = update_rule()) rule->update(*this);
}

const std::shared_ptr<UpdateRuleBase>& Parameter::update_rule() const {
  return parameter_node().update_rule;
}

void Parameter::set_update_rule(std::shared_ptr<UpdateRuleBase> rule) const {
  parameter_node().update_rule = std::move(rule);
}

int64_t Parameter::version() const {
  const int64_t version = checked_node().version();
  if (version >= 0) return version;
  // A variable computed by a hook counts as always changed.
  static std::atomic<int64_t> computed = 0;
  return --computed;
}
void Parameter::bump_version() const { parameter_node().bump_version(); }

Parameter Parameter::clone(CopyMode mode) const {
  const Node& node = parameter_node();
  Parameter copy(node.initializer, std::nullopt, node.name());
  copy.parameter_node().device = node.device;
  copy.parameter_node().is_channels_last = node.is_channels_last;
  copy.parameter_node().set_requires_grad(node.requires_grad());
  if (is_initialized()) {
    switch (mode) {
      case CopyMode::kShare:
        copy.set_data(data());
        break;
      case CopyMode::kCopy:
        copy.set_data(copy_in_layout(data(), device()));
        break;
      case CopyMode::kInit:
        copy.initialize_with(shape(), copy.initializer());
        break;
    }
  }
  return copy;
}

}  // namespace catena
