#include "catena/autograd/function_node.h"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/name_list.h"
#include "catena/autograd/autocast.h"
#include "catena/autograd/borrowed_arrays.h"
#include "catena/autograd/config.h"
#include "catena/autograd/debug.h"
#include "catena/autograd/function_description.h"
#include "catena/autograd/function_hook.h"
#include "catena/autograd/per_device.h"

namespace catena {
namespace {

// Functions queued for destruction, so that chains of any length are destroyed
// iteratively instead of recursively.
struct DestructionQueue {
  FunctionNode* first = nullptr;
  bool is_draining = false;
};
constinit thread_local DestructionQueue destruction_queue;

}  // namespace

FunctionNode::~FunctionNode() {
  // Outputs hold a reference to their creator, so none can exist here.
}

FunctionDescription FunctionNode::description() const { return {}; }

Arrays FunctionNode::forward(const Arrays& inputs) {
  return internal::is_on_host(inputs) ? forward_cpu(inputs)
                                      : forward_gpu(inputs);
}

Arrays FunctionNode::forward_cpu(const Arrays&) {
  internal::raise_not_overridden(label(), "forward or forward_cpu");
}

Arrays FunctionNode::forward_gpu(const Arrays&) {
  internal::raise_not_overridden(label(), "forward or forward_gpu");
}

void FunctionNode::destroy() noexcept {
  DestructionQueue& queue = destruction_queue;
  next_to_destroy_ = queue.first;
  queue.first = this;
  if (queue.is_draining) return;
  queue.is_draining = true;
  while (queue.first != nullptr) {
    FunctionNode* function = queue.first;
    queue.first = function->next_to_destroy_;
    delete function;
  }
  queue.is_draining = false;
}

void FunctionNode::raise_undefined(std::span<const VariableRef> inputs) const {
  size_t i = 0;
  while (inputs[i]->defined() && inputs[i]->data().defined()) ++i;
  raise<ValueError>(label(), ": input ", i, " is ",
                    inputs[i]->defined() ? "an uninitialized parameter"
                                         : "an undefined variable");
}

void FunctionNode::raise_mixed_flags() const {
  raise<ValueError>(
      label(),
      ": expected inputs whose volatility is not both on and off; "
      "arrays and parameters are auto");
}

void FunctionNode::raise_mixed_devices(const Arrays& inputs) const {
  const Device first = inputs[0].device();
  size_t i = 1;
  while (inputs[i].device() == first) ++i;
  raise<DeviceError>(label(), ": expected inputs on one device, got ", first,
                     " and ", inputs[i].device());
}

Variables FunctionNode::apply(Ref<FunctionNode> function,
                              std::span<const VariableRef> inputs) try {
  bool records = false;
  Variables outputs = function->run(inputs, records);
  if (records) connect(std::move(function), inputs, outputs);
  return outputs;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("forward");
}

bool FunctionNode::may_be_kept(std::span<const VariableRef> inputs) {
  if (!thread_function_hooks().empty()) return true;
  return config().enable_backprop &&
         std::ranges::any_of(inputs, [](const Variable& input) {
           return input.defined() && input.node()->requires_grad();
         });
}

Variables FunctionNode::run(std::span<const VariableRef> inputs,
                            bool& records) {
  if (applied_) {
    raise<ValueError>(label(), ": a function node can be applied only once");
  }
  const Config& settings = config();
  Variables outputs;  // what every return names, so that it is made in place
  if (settings.autocast.is_on() && !is_cast_) [[unlikely]] {
    outputs = run_in_autocast(inputs, records);
    return outputs;
  }
  // A forward that threw may have left arrays here.
  if (!retained_inputs_.empty()) retained_inputs_.clear();
  if (!wanted_outputs_.empty()) wanted_outputs_.clear();
  BorrowedArrays borrowed(inputs.size());
  bool requires_grad = false;
  bool is_mixed = false;
  unsigned flags = 0;
  const Arrays& data = borrowed.list();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const VariableNode* node = inputs[i]->node();
    if (node == nullptr || !node->data().defined()) raise_undefined(inputs);
    borrowed.set(i, node->data());
    is_mixed |= data[i].device() != data[0].device();
    requires_grad |= node->requires_grad();
    flags |= static_cast<unsigned>(node->volatility());
  }
  constexpr auto kOn = static_cast<unsigned>(Flag::kOn);
  if (flags >= kOn) [[unlikely]] {
    if (flags > kOn) raise_mixed_flags();
    requires_grad = false;
  }
  if (is_mixed) raise_mixed_devices(data);
  if (settings.type_check) check_types(inputs);

  if (settings.debug) [[unlikely]]
    extras().stack = CallStack::current();

  const bool has_hooks =
      !thread_function_hooks().empty() || !local_function_hooks().empty();
  if (has_hooks) {
    call_function_hooks(local_function_hooks(),
                        &FunctionHook::forward_preprocess, *this, data);
  }
  records = requires_grad && settings.enable_backprop;
  recorded_inputs_ = records ? inputs : std::span<const VariableRef>();
  Arrays results = forward(data);
  recorded_inputs_ = {};
  applied_ = true;
  if (has_hooks) {
    call_function_hooks(local_function_hooks(),
                        &FunctionHook::forward_postprocess, *this, data);
  }
  for (Array& result : results) {
    if (!result.defined()) {
      raise<ValueError>(label(), ": forward returned an undefined array");
    }
    if (settings.debug) check_no_nan(result, label(), "forward", applied());
    outputs.push_back(Variable::from_data(std::move(result), requires_grad));
    outputs.back().node()->set_volatility(static_cast<Flag>(flags));
  }
  return outputs;
}

Variables FunctionNode::run_in_autocast(std::span<const VariableRef> inputs,
                                        bool& records) {
  struct CastScope {
    explicit CastScope(bool& is_cast) : is_cast(is_cast) { is_cast = true; }
    ~CastScope() { is_cast = false; }
    bool& is_cast;
  } const scope(is_cast_);
  const std::optional<Dtype> dtype =
      internal::autocast_dtype(autocast_rule(description().kind()), inputs);
  const auto is_left = [&](const Variable& x) {
    return !is_floating(x.dtype()) || x.dtype() == *dtype;
  };
  if (!dtype || std::ranges::all_of(inputs, is_left)) {
    return run(inputs, records);
  }
  absl::InlinedVector<Variable, 4> cast;
  for (const Variable& x : inputs) {
    cast.push_back(is_left(x) ? x : internal::autocast(x, *dtype));
  }
  const absl::InlinedVector<VariableRef, 4> refs(cast.begin(), cast.end());
  Variables outputs = run(refs, records);
  // Here, since the casts live no longer.
  if (std::exchange(records, false)) {
    connect(Ref<FunctionNode>(this), refs, outputs);
  }
  return outputs;
}

Variables FunctionNode::apply(std::span<const Variable> inputs) {
  return apply(std::span<const VariableRef>(refs_of(inputs)));
}

absl::InlinedVector<VariableRef, 4> refs_of(std::span<const Variable> inputs) {
  return {inputs.begin(), inputs.end()};
}

void FunctionNode::check_types(std::span<const VariableRef> inputs) const {
  TypeCheck in(label(), inputs);
  in.is_of_node_ = true;
  check_type_forward(in);
}

void FunctionNode::connect(Ref<FunctionNode> function,
                           std::span<const VariableRef> inputs,
                           Variables& outputs) {
  FunctionNode& self = *function;
  for (const int i : self.wanted_outputs_) {
    self.check_retained(i, outputs.size(), "output");
    self.retained_outputs_.push_back({i, outputs[i].data()});
  }
  for (const VariableRef input : inputs) {
    VariableNode* node = input->node();
    self.inputs_.emplace_back(node);
    self.rank_ = std::max(self.rank_, node->rank());
  }
  for (const Variable& output : outputs) {
    self.outputs_.push_back(output.node());
  }
  const int last = static_cast<int>(outputs.size()) - 1;
  for (int i = 0; i < last; ++i) self.outputs_[i]->set_creator(function, i);
  if (last >= 0) self.outputs_[last]->set_creator(std::move(function), last);
}

void FunctionNode::check_retained(int index, size_t count,
                                  std::string_view what) const {
  if (index < 0 || static_cast<size_t>(index) >= count) {
    raise<IndexError>(label(), ": forward retains ", what, " ", index,
                      ", but there are only ", count);
  }
}

void FunctionNode::throw_no_input(int index) const {
  raise<IndexError>(label(), ": forward asks for input ", index,
                    ", but there are only ", recorded_inputs_.size());
}

void FunctionNode::retain_input(int index) {
  if (recorded_inputs_.empty()) return;
  check_retained(index, recorded_inputs_.size(), "input");
  retained_inputs_.push_back({index, recorded_inputs_[index]->data()});
}

const Array& FunctionNode::retained_data(std::span<const Retained> retained,
                                         int index,
                                         std::string_view what) const {
  for (const Retained& entry : retained) {
    if (entry.index == index) return entry.data;
  }
  raise<GradientError>(label(), ": backward requests ", what, " ", index,
                       ", which forward did not retain");
}

const Array& FunctionNode::retained_input_array(int index) const {
  return retained_data(retained_inputs_, index, "input");
}

const Array& FunctionNode::retained_output_array(int index) const {
  return retained_data(retained_outputs_, index, "output");
}

Variable FunctionNode::retained_input(int index) const {
  const Array& data = retained_input_array(index);
  VariableNode* node = inputs_[index].get();
  // A leaf without a handle needs no gradient, and its node may also be in
  // another thread's graph, so do not touch it.
  Variable input = node->creator() == nullptr ? Variable::try_from_node(node)
                                              : Variable::from_node(node);
  if (!input.defined()) return as_variable(data);
  if (!node->data().defined()) node->set_data(data);
  return input;
}

Array FunctionNode::kept_input(int index) const {
  if (index < 0 || static_cast<size_t>(index) >= inputs_.size()) {
    raise<IndexError>(label(), ": backward requests input ", index,
                      ", but there are only ", inputs_.size());
  }
  if (inputs_[index]->data().defined()) return inputs_[index]->data();
  for (const Retained& retained : retained_inputs_) {
    if (retained.index == index) return retained.data;
  }
  return {};
}

Variable FunctionNode::retained_output(int index) {
  const Array& data = retained_output_array(index);
  if (VariableNode* node = outputs_[index]; node != nullptr) {
    Variable output = Variable::from_node(node);
    if (!node->data().defined()) node->set_data(data);
    return output;
  }
  // The variable was destroyed: a new one takes its place in the graph.
  Variable output(data);
  output.node()->set_creator(Ref<FunctionNode>(this), index);
  outputs_[index] = output.node();
  return output;
}

void FunctionNode::unchain() {
  // The outputs may hold the last references.
  const Ref<FunctionNode> self(this);
  for (VariableNode*& output : outputs_) {
    if (output != nullptr) output->unchain();
  }
  inputs_.clear();
  retained_inputs_.clear();
  retained_outputs_.clear();
}

FunctionNode::Extras& FunctionNode::extras() {
  if (extras_ == nullptr) extras_ = std::make_unique<Extras>();
  return *extras_;
}

void FunctionNode::add_hook(std::shared_ptr<FunctionHook> hook,
                            std::string name) {
  if (name.empty()) name = hook->name();
  Extras& extras = this->extras();
  if (std::ranges::find(extras.names, name) != extras.names.end()) {
    raise<ValueError>("add_hook: ", label(), " already has a hook named '",
                      name, "'");
  }
  hook->added(this);
  extras.names.push_back(std::move(name));
  extras.hooks.push_back(std::move(hook));
}

void FunctionNode::delete_hook(std::string_view name) {
  Extras& extras = this->extras();
  const auto it = std::ranges::find(extras.names, name);
  if (it == extras.names.end()) {
    array::throw_unknown_name("delete_hook", str("a hook of ", label()),
                              extras.names, name);
  }
  const auto hook = extras.hooks.begin() + (it - extras.names.begin());
  (*hook)->deleted(this);
  extras.hooks.erase(hook);
  extras.names.erase(it);
}

}  // namespace catena
