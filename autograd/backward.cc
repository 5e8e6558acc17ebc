#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/warn_once.h"
#include "catena/array/image_order.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/data_layout.h"
#include "catena/autograd/debug.h"
#include "catena/autograd/deferred_gradient.h"
#include "catena/autograd/function_description.h"
#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/variable.h"

namespace catena {
namespace {

// The sum of two or more gradients, differentiable.
class AddGradients final : public FunctionNode {
 public:
  std::string_view label() const override { return "_ + _"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<AddGradients>({});
  }
  Arrays forward(const Arrays& in) override {
    const Array sum = array::add(in[0], in[1]);
    for (size_t i = 2; i < in.size(); ++i) sum += in[i];
    return {sum};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    return Variables(wanted.size(), gy[0]);
  }
};

// Whether nothing else shares a gradient's memory, in which its elements are
// apart.
bool is_sole_owner(const Variable& gradient) {
  const Array& data = gradient.data();
  return gradient.node()->is_sole_handle() && data.use_count() == 1 &&
         data.storage()->owned() &&
         (data.is_contiguous() || array::keeps_channels_last(data));
}

// Adds a term to a sum, into the memory of one of them where that is exclusive.
void add_term(Variable& sum, Variable term, bool differentiable) {
  if (!sum.defined()) {
    sum = std::move(term);
  } else if (differentiable) {
    sum = apply<AddGradients>({sum, term});
  } else if (is_sole_owner(sum)) {
    sum.data() += term.data();
  } else if (is_sole_owner(term)) {  // as where an addition's gradient is first
    term.data() += sum.data();
    sum = std::move(term);
  } else {
    sum = as_variable(array::add(sum.data(), term.data()));
  }
}

// Adds all terms to a sum, in one function of the graph if there is one.
void add_terms(Variable& sum, std::vector<Variable> terms,
               bool differentiable) {
  if (differentiable) {
    terms.insert(terms.begin(), std::move(sum));
    sum = apply<AddGradients>(std::span<const Variable>(terms));
    return;
  }
  for (Variable& term : terms) {
    add_term(sum, std::move(term), /*differentiable=*/false);
  }
}

}  // namespace

// A backward traversal of a graph.
class BackwardPass {
 public:
  struct Options {
    bool retain_grad = false;
    bool differentiable = false;
    // If given, only these functions run, and only gradients of these nodes or
    // on the way to them are computed.
    const std::unordered_set<const FunctionNode*>* functions = nullptr;
    const std::unordered_set<const VariableNode*>* targets = nullptr;
  };

  // Until destroyed, the computation is recorded if the pass is differentiable.
  explicit BackwardPass(const Options& options)
      : options_(options),
        is_lazy_(config().lazy_grad_sum),
        scope_(&Config::enable_backprop, options.differentiable),
        autocast_(&Config::autocast, std::nullopt),
        outer_(std::exchange(current_, this)) {}

  ~BackwardPass() {
    current_ = outer_;
    // There is something to clean up only after an exception.
    if (running_) forget_sums(*running_);
    for (const Ref<FunctionNode>& function : queue_) {
      function->is_queued_ = false;
      forget_sums(*function);
    }
    for (const Ref<VariableNode>& leaf : leaves_) leaf->pending() = Variable();
  }

  void add(VariableNode& node, Variable gradient) {
    const bool is_first = !node.pending().defined();
    // Before there is a sum, which the destructor removes from what is listed.
    if (FunctionNode* creator = node.creator();
        creator != nullptr && runs(*creator)) {
      enqueue(creator);
    } else if (is_first) {
      leaves_.emplace_back(&node);
    }
    if (is_lazy_ && !is_first) {
      lazy_terms_[&node].push_back(std::move(gradient));
    } else {
      add_term(node.pending(), std::move(gradient), options_.differentiable);
    }
  }

  // Takes what was added to a node so far, and leaves nothing.
  Variable take(VariableNode& node) {
    std::erase_if(leaves_,
                  [&](const auto& leaf) { return leaf.get() == &node; });
    return take_pending(node);
  }

  static BackwardPass* current() { return current_; }

  std::unique_ptr<DeferredGradient>& waiting_for(VariableNode& node) {
    Waiting& waiting = waiting_[&node];
    if (waiting.node.get() == nullptr) waiting.node = Ref<VariableNode>(&node);
    return waiting.term;
  }

  // Adds all terms that are kept separately to a node's sum.
  void complete(VariableNode& node) {
    add_waiting(node);
    if (const auto it = lazy_terms_.find(&node); it != lazy_terms_.end()) {
      add_terms(node.pending(), std::move(it->second), options_.differentiable);
      lazy_terms_.erase(it);
    }
  }

  void run() {
    while (!queue_.empty()) {
      std::ranges::pop_heap(queue_, by_rank);
      running_ = std::move(queue_.back());
      queue_.pop_back();
      running_->is_queued_ = false;
      step(*running_);
    }
    running_ = {};
    // The rest are leaves. Up to here, a failure leaves all gradients
    // unchanged.
    while (!waiting_.empty()) add_waiting(*waiting_.begin()->second.node);
  }

  using Gradients = std::vector<std::pair<Ref<VariableNode>, Variable>>;

  // Nodes where the graph began or was cut, with their gradients.
  Gradients take_leaves() {
    Gradients result;
    for (const Ref<VariableNode>& leaf : leaves_) {
      result.emplace_back(leaf, take_pending(*leaf));
    }
    leaves_.clear();
    return result;
  }

  // Stores the gradients requested by retain_grad, once nothing can fail any
  // more.
  void store_retained() {
    for (auto& [node, gradient] : retained_) {
      node->set_grad(std::move(gradient));
    }
    retained_.clear();
  }

  // Gradients of targets that are outputs of other functions.
  std::unordered_map<const VariableNode*, Variable>& inner_targets() {
    return inner_targets_;
  }

 private:
  static bool by_rank(const Ref<FunctionNode>& a, const Ref<FunctionNode>& b) {
    return a->rank() < b->rank();
  }

  static void forget_sums(FunctionNode& function) {
    for (VariableNode* output : function.outputs_) {
      if (output != nullptr) output->pending() = Variable();
    }
  }

  bool runs(const FunctionNode& function) const {
    return options_.functions == nullptr ||
           options_.functions->contains(&function);
  }

  void enqueue(FunctionNode* function) {
    if (function->is_queued_) return;
    queue_.emplace_back(function);
    function->is_queued_ = true;
    std::ranges::push_heap(queue_, by_rank);
  }

  bool is_wanted(const VariableNode& input) const {
    if (!input.requires_grad() || !is_floating(input.dtype())) return false;
    // The gradient of a leaf without a handle is unreachable.
    if (input.creator() == nullptr && !input.has_handle()) return false;
    return options_.targets == nullptr || options_.targets->contains(&input) ||
           (input.creator() != nullptr && runs(*input.creator()));
  }

  // Adds a node's deferred terms to its sum.
  void add_waiting(VariableNode& node) {
    const auto it = waiting_.find(&node);
    if (it == waiting_.end()) return;
    const Waiting waiting = std::move(it->second);
    waiting_.erase(it);
    if (waiting.term == nullptr) return;
    Variable& sum = node.pending();
    if (!is_exclusive(sum)) sum = as_variable(sum.data().copy());
    waiting.term->add_to(sum.data());
  }

  // Takes the sum of the terms added to a node.
  Variable take_pending(VariableNode& node) {
    complete(node);
    Variable sum = std::move(node.pending());
    node.pending() = Variable();
    return sum;
  }

  Variables take_output_gradients(FunctionNode& function) {
    Variables gradients(function.outputs_.size());
    for (size_t i = 0; i < gradients.size(); ++i) {
      VariableNode* output = function.outputs_[i];
      if (output == nullptr) continue;
      gradients[i] = take_pending(*output);
      if (!gradients[i].defined()) continue;
      // Without a handle it would be unreachable, and nothing could break the
      // cycle with a gradient computed from this very output.
      if (options_.retain_grad && output->has_handle()) {
        retained_.emplace_back(Ref<VariableNode>(output), gradients[i]);
      }
      if (options_.targets != nullptr && options_.targets->contains(output)) {
        inner_targets_[output] = gradients[i];
      }
    }
    return gradients;
  }

  void step(FunctionNode& function) {
    const Variables grad_outputs = take_output_gradients(function);
    Indexes wanted;
    for (size_t i = 0; i < function.inputs_.size(); ++i) {
      if (is_wanted(*function.inputs_[i]))
        wanted.push_back(static_cast<int>(i));
    }
    if (wanted.empty()) return;

    const bool has_hooks = !thread_function_hooks().empty() ||
                           !function.local_function_hooks().empty();
    if (has_hooks) {
      call_function_hooks(function.local_function_hooks(),
                          &FunctionHook::backward_preprocess, function,
                          grad_outputs);
    }
    GradientsSoFar so_far(*this, function, wanted);
    Variables gradients =
        function.backward_accumulate(wanted, grad_outputs, so_far);
    if (has_hooks) {
      call_function_hooks(function.local_function_hooks(),
                          &FunctionHook::backward_postprocess, function,
                          grad_outputs);
    }
    // Unchained in the meantime.
    if (function.inputs_.empty()) return;
    const bool debug = config().debug;
    const bool one_each = gradients.size() == wanted.size();
    if (!one_each && gradients.size() != function.inputs_.size()) {
      raise<GradientError>(function.label(), ": backward returned ",
                           gradients.size(), " gradients, expected ",
                           wanted.size());
    }
    for (size_t k = 0; k < wanted.size(); ++k) {
      Variable& gradient = gradients[one_each ? k : wanted[k]];
      if (!gradient.defined()) {
        if (std::ranges::count(so_far.taken_, wanted[k]) != 0) [[unlikely]] {
          raise<GradientError>(function.label(),
                               ": backward_accumulate took the gradient of ",
                               "input ", wanted[k], " and returned none");
        }
        continue;
      }
      VariableNode& input = *function.inputs_[wanted[k]];
      check_gradient(gradient.data(), input, function.label());
      if (debug) {
        check_no_nan(gradient.data(), function.label(), "backward",
                     function.applied());
      }
      add(input, std::move(gradient));
    }
  }

  Options options_;
  bool is_lazy_;
  ConfigScope<bool> scope_;
  // Gradients have the dtypes of what was computed.
  ConfigScope<AutocastDtype> autocast_;
  // The pass running on this thread, and the pass it is nested in.
  static thread_local BackwardPass* current_;
  BackwardPass* outer_;
  struct Waiting {
    Ref<VariableNode> node;
    std::unique_ptr<DeferredGradient> term;
  };
  std::unordered_map<const VariableNode*, Waiting> waiting_;
  // With lazy_grad_sum: terms still to be added to pending gradients.
  std::unordered_map<const VariableNode*, std::vector<Variable>> lazy_terms_;
  std::vector<Ref<FunctionNode>> queue_;
  Ref<FunctionNode> running_;
  std::vector<Ref<VariableNode>> leaves_;
  Gradients retained_;
  std::unordered_map<const VariableNode*, Variable> inner_targets_;
};

thread_local BackwardPass* BackwardPass::current_ = nullptr;

std::unique_ptr<DeferredGradient>* deferred_gradient(VariableNode& node) {
  BackwardPass* pass = BackwardPass::current();
  return pass == nullptr ? nullptr : &pass->waiting_for(node);
}

void complete_pending(VariableNode& node) {
  if (BackwardPass* pass = BackwardPass::current()) pass->complete(node);
}

bool is_exclusive(const Variable& gradient) {
  return gradient.data().is_contiguous() && is_sole_owner(gradient);
}

namespace {

Variable ones_like(const Variable& output, std::optional<double> loss_scale) {
  Array ones = array::empty_like(output.data());
  ones.fill(loss_scale.value_or(1.0));
  return as_variable(ones);
}

// The initial gradient at outputs[i].
Variable seed(const std::vector<Variable>& outputs,
              const std::vector<Variable>& grad_outputs, size_t i) {
  if (i >= grad_outputs.size() || !grad_outputs[i].defined()) return {};
  check_gradient(grad_outputs[i].data(), *outputs[i].node(), "grad_outputs");
  return grad_outputs[i];
}

void check_counts(std::string_view operation, std::string_view what,
                  size_t given, size_t expected) {
  if (given != 0 && given != expected) {
    raise<ValueError>(operation, ": expected ", expected, " ", what, ", got ",
                      given);
  }
}

// A leaf's gradient after a pass. A leaf owns its gradient, so that an
// optimizer hook writing to it changes nothing else.
Variable accumulated(const VariableNode& leaf, Variable gradient,
                     bool differentiable) {
  if (leaf.grad().defined()) {
    Variable sum = leaf.grad();
    add_term(sum, std::move(gradient), differentiable);
    return sum;
  }
  if (differentiable || is_sole_owner(gradient)) return gradient;
  const Array& data = gradient.data();
  return as_variable(array::keeps_channels_last(data)
                         ? copy_in_layout(data, data.device())
                         : data.copy());
}

void check_defined(std::string_view operation, std::string_view what,
                   const std::vector<Variable>& variables) {
  for (size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i].defined() || !variables[i].node()->has_shape()) {
      raise<ValueError>(operation, ": ", what, " ", i, " is ",
                        variables[i].defined() ? "an uninitialized parameter"
                                               : "an undefined variable");
    }
  }
}

// The functions on a path from `inputs` to `outputs`.
std::unordered_set<const FunctionNode*> functions_between(
    const std::vector<Variable>& outputs,
    const std::unordered_set<const VariableNode*>& inputs) {
  std::vector<const FunctionNode*> reached;
  std::unordered_set<const FunctionNode*> seen;
  const auto visit = [&](const VariableNode& node) {
    const FunctionNode* creator = node.creator();
    if (creator != nullptr && seen.insert(creator).second) {
      reached.push_back(creator);
    }
  };
  for (const Variable& output : outputs) visit(*output.node());
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const Ref<VariableNode>& input : reached[i]->inputs()) visit(*input);
  }
  std::ranges::sort(reached, {}, &FunctionNode::rank);
  std::unordered_set<const FunctionNode*> between;
  for (const FunctionNode* function : reached) {
    for (const Ref<VariableNode>& input : function->inputs()) {
      if (inputs.contains(input.get()) ||
          (input->creator() != nullptr && between.contains(input->creator()))) {
        between.insert(function);
        break;
      }
    }
  }
  return between;
}

}  // namespace

Variable GradientsSoFar::take(int input) {
  if (std::ranges::count(wanted_, input) == 0) {
    raise<ValueError>(function_.label(),
                      ": backward_accumulate takes the gradient of input ",
                      input, ", which is not wanted");
  }
  Variable sum = pass_.take(*function_.inputs()[input]);
  if (sum.defined()) taken_.push_back(input);
  return sum;
}

Variables FunctionNode::backward_accumulate(const Indexes& wanted,
                                            const Variables& grad_outputs,
                                            GradientsSoFar& /*so_far*/) {
  return backward(wanted, grad_outputs);
}

void backward(const std::vector<Variable>& outputs,
              const std::vector<Variable>& grad_outputs,
              const BackwardOptions& options) try {
  check_counts("backward", "grad_outputs", grad_outputs.size(), outputs.size());
  check_defined("backward", "output", outputs);
  BackwardPass pass({.retain_grad = options.retain_grad,
                     .differentiable = options.enable_double_backprop});
  std::vector<Variable> seeds;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Variable gradient = seed(outputs, grad_outputs, i);
    // A leaf has no inputs, but may receive a gradient.
    const bool is_leaf = outputs[i].creator_node() == nullptr;
    if (!gradient.defined() && !is_leaf) gradient = outputs[i].grad_var();
    if (!gradient.defined() && !is_leaf) {
      if (outputs[i].size() != 1) {
        raise<GradientError>(
            "backward: expected a gradient at the output of "
            "shape ",
            outputs[i].shape(),
            "; call set_grad first, or start from a scalar");
      }
      gradient = ones_like(outputs[i], options.loss_scale);
    }
    seeds.push_back(std::move(gradient));
  }
  if (std::ranges::none_of(outputs, &Variable::requires_grad)) {
    warn_once("backward without gradients", [] {
      return std::string(
          "backward: nothing that the output was computed from needs a "
          "gradient, so none is computed: is it a Variable without gradient, "
          "or computed in no_backprop_mode() or from arrays?");
    });
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (seeds[i].defined() && outputs[i].requires_grad()) {
      pass.add(*outputs[i].node(), seeds[i]);
    }
  }
  seeds.clear();
  pass.run();
  // All that may fail comes before the first change: additions in place, too,
  // but for those of the host, which need nothing.
  const bool differentiable = options.enable_double_backprop;
  BackwardPass::Gradients leaves = pass.take_leaves();
  std::vector<bool> is_in_place;
  for (auto& [leaf, gradient] : leaves) {
    is_in_place.push_back(!differentiable && leaf->grad().defined() &&
                          leaf->grad().device().shares_host_memory() &&
                          is_sole_owner(leaf->grad()));
    if (is_in_place.back()) continue;
    gradient = accumulated(*leaf, std::move(gradient), differentiable);
  }
  for (const Variable& output : outputs) {
    // Its gradient has been used; it is intermediate like any other.
    if (output.creator_node() != nullptr) output.cleargrad();
  }
  pass.store_retained();
  for (size_t i = 0; i < leaves.size(); ++i) {
    auto& [leaf, gradient] = leaves[i];
    if (is_in_place[i]) {
      leaf->grad().data() += gradient.data();
    } else {
      leaf->set_grad(std::move(gradient));
    }
  }
} catch (const std::bad_alloc&) {
  raise_out_of_memory("backward");
}

std::vector<Variable> grad(const std::vector<Variable>& outputs,
                           const std::vector<Variable>& inputs,
                           const GradOptions& options) try {
  check_counts("grad", "grad_outputs", options.grad_outputs.size(),
               outputs.size());
  check_counts("grad", "grad_inputs", options.grad_inputs.size(),
               inputs.size());
  std::unordered_set<const VariableNode*> targets;
  check_defined("grad", "input", inputs);
  check_defined("grad", "output", outputs);
  for (const Variable& input : inputs) targets.insert(input.node());
  for (size_t i = 0; i < options.grad_inputs.size(); ++i) {
    const Variable& start = options.grad_inputs[i];
    if (start.defined()) {
      check_gradient(start.data(), *inputs[i].node(), "grad_inputs");
    }
  }
  const auto functions = functions_between(outputs, targets);
  BackwardPass pass({.retain_grad = options.retain_grad,
                     .differentiable = options.enable_double_backprop,
                     .functions = &functions,
                     .targets = &targets});
  for (size_t i = 0; i < outputs.size(); ++i) {
    Variable gradient = seed(outputs, options.grad_outputs, i);
    if (!gradient.defined())
      gradient = ones_like(outputs[i], options.loss_scale);
    pass.add(*outputs[i].node(), gradient);
  }
  pass.run();
  pass.store_retained();
  std::unordered_map<const VariableNode*, Variable> found =
      std::move(pass.inner_targets());
  for (auto& [leaf, gradient] : pass.take_leaves()) {
    found[leaf.get()] = std::move(gradient);
  }

  std::vector<Variable> results;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Variable result;
    if (i < options.grad_inputs.size()) result = options.grad_inputs[i];
    if (const auto it = found.find(inputs[i].node()); it != found.end()) {
      if (result.defined()) {
        result = apply<AddGradients>({result, it->second});
      } else {
        result = it->second;
      }
    }
    if (options.set_grad) inputs[i].set_grad_var(result);
    results.push_back(std::move(result));
  }
  return results;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("grad");
}

}  // namespace catena
