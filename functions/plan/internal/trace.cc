#include "catena/functions/plan/internal/trace.h"

#include <algorithm>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>

#include "catena/array/core/error.h"
#include "catena/autograd/autocast.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_hook.h"
#include "catena/autograd/variable_node.h"

namespace catena::functions {
namespace {

// The arrays and the order of all function calls.
class Observer final : public FunctionHook {
 public:
  struct Seen {
    const FunctionNode* node;
    CalledFunction function;
    Arrays inputs;
  };

  std::string_view name() const override { return "execution_plan"; }
  void forward_preprocess(const FunctionNode& function,
                          const Arrays&) override {
    if (function.repeats()) return;
    raise<ValueError>(
        "ExecutionPlan: expected functions that compute the same in each "
        "call, got ",
        function.label(),
        "; for inference, call the plan with Config::train off");
  }
  void forward_postprocess(const FunctionNode& function,
                           const Arrays& inputs) override {
    seen.push_back(
        {&function, {typeid(function), std::string(function.label())}, inputs});
  }

  std::vector<Seen> seen;
};

class GraphReader {
 public:
  GraphReader(const Observer& observer, const std::vector<Variable>& inputs)
      : observer_(observer) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      TracedValue value = value_of(*inputs[i].node());
      value.kind = TracedValue::Kind::kInput;
      value.index = static_cast<int>(i);
      add(inputs[i].node(), std::move(value));
    }
  }

  TracedGraph read(const std::vector<Variable>& outputs) {
    for (const Variable& y : outputs) mark(y.creator_node());
    // An address may have been that of another node before: the last is meant.
    std::unordered_map<const FunctionNode*, size_t> last;
    for (size_t i = 0; i < observer_.seen.size(); ++i) {
      last[observer_.seen[i].node] = i;
    }
    for (size_t i = 0; i < observer_.seen.size(); ++i) {
      const Observer::Seen& seen = observer_.seen[i];
      graph_.functions.push_back(seen.function);
      const auto found = reachable_.find(seen.node);
      if (found != reachable_.end() && last[seen.node] == i) {
        add_call(found->second, seen.inputs);
      }
    }
    for (const Variable& y : outputs) {
      const int value = leaf_or_known(*y.node(), y.data());
      graph_.outputs.push_back(value);
      ++graph_.values[value].uses;
    }
    return std::move(graph_);
  }

 private:
  static TracedValue value_of(const VariableNode& node) {
    return {
        .shape = node.shape(), .dtype = node.dtype(), .device = node.device()};
  }

  int add(const VariableNode* node, TracedValue value) {
    const int index = static_cast<int>(graph_.values.size());
    graph_.values.push_back(std::move(value));
    known_[node] = index;
    return index;
  }

  void mark(FunctionNode* first) {
    std::vector<FunctionNode*> open = {first};
    while (!open.empty()) {
      FunctionNode* const node = open.back();
      open.pop_back();
      if (node == nullptr || !reachable_.emplace(node, node).second) continue;
      for (const Ref<VariableNode>& input : node->inputs()) {
        open.push_back(input->creator());
      }
    }
  }

  int leaf_or_known(VariableNode& node, const Array& array) {
    const auto found = known_.find(&node);
    if (found != known_.end()) return found->second;
    TracedValue value = value_of(node);
    value.kind = TracedValue::Kind::kConstant;
    value.constant = array;
    value.variable = Ref<VariableNode>(&node);
    return add(&node, std::move(value));
  }

  void add_call(FunctionNode* node, const Arrays& arrays) {
    TracedCall call{.node = Ref<FunctionNode>(node),
                    .inputs = {},
                    .outputs = {},
                    .description = node->description()};
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      const int value = leaf_or_known(*node->inputs()[i], arrays[i]);
      ++graph_.values[value].uses;
      call.inputs.push_back(value);
    }
    for (VariableNode* const output : node->outputs()) {
      call.outputs.push_back(
          output == nullptr ? -1 : add(output, value_of(*output)));
    }
    graph_.calls.push_back(std::move(call));
  }

  const Observer& observer_;
  std::unordered_map<const FunctionNode*, FunctionNode*> reachable_;
  std::unordered_map<const VariableNode*, int> known_;
  TracedGraph graph_;
};

}  // namespace

TracedGraph trace_graph(const PlannedFunction& function,
                        const std::vector<Array>& inputs,
                        std::vector<Array>* results) {
  TracedGraph graph;
  {
    Observer observer;
    std::vector<Variable> outputs;
    {
      const ConfigScope backprop(&Config::enable_backprop, true);
      // A copy from before would be a constant, which changes of the parameter
      // do not reach; a cast is a call.
      const catena::internal::OwnAutocastCopies copies;
      const FunctionHookScope scope(observer);
      std::vector<Variable> arguments;
      for (const Array& input : inputs) {
        arguments.push_back(Variable::from_data(input, true));
      }
      outputs = function(arguments);
      if (outputs.empty()) {
        raise<ValueError>("ExecutionPlan: expected a result, got none");
      }
      for (const Variable& y : outputs) {
        if (!y.defined() || !y.data().defined()) {
          raise<ValueError>("ExecutionPlan: a result is undefined");
        }
      }
      graph = GraphReader(observer, arguments).read(outputs);
    }
    if (results != nullptr) {
      for (const Variable& y : outputs) results->push_back(y.data());
    }
    for (TracedCall& call : graph.calls) {
      call.node->unchain();
    }
  }
  // What still has a handle is a parameter: its array may be replaced.
  for (TracedValue& value : graph.values) {
    if (value.kind != TracedValue::Kind::kConstant) continue;
    if (value.variable->has_handle()) {
      value.kind = TracedValue::Kind::kParameter;
      value.constant = Array();
    } else {
      value.variable = {};
    }
  }
  return graph;
}

std::vector<Array> arrays_of_inputs(const TracedGraph& graph,
                                    const std::vector<Array>& inputs) {
  std::vector<Array> arrays(graph.values.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    const TracedValue& value = graph.values[i];
    if (value.kind == TracedValue::Kind::kInput) {
      arrays[i] = inputs[value.index];
    }
  }
  return arrays;
}

std::vector<Array> outputs_of(const TracedGraph& graph,
                              const std::vector<Array>& arrays) {
  std::vector<Array> outputs;
  for (const int v : graph.outputs) outputs.push_back(graph.array(v, arrays));
  return outputs;
}

ValueUses::ValueUses(const TracedGraph& graph)
    : graph_(graph), last_(graph.values.size(), -1) {}

void ValueUses::add(int value, int step) {
  last_[value] = std::max(last_[value], step);
}

void ValueUses::add_call(const TracedCall& call, int step) {
  for (const int value : call.inputs) add(value, step);
  for (const int value : call.outputs) {
    if (value >= 0) add(value, step);
  }
}

std::vector<std::vector<int>> ValueUses::released(int n_steps) const {
  std::vector<int> last = last_;
  for (const int value : graph_.outputs) last[value] = -1;
  std::vector<std::vector<int>> by_step(n_steps);
  for (size_t value = 0; value < last.size(); ++value) {
    if (last[value] >= 0) {
      by_step[last[value]].push_back(static_cast<int>(value));
    }
  }
  return by_step;
}

void run_call(const TracedGraph& graph, const TracedCall& call,
              std::vector<Array>& arrays) {
  Arrays inputs;
  for (const int value : call.inputs) {
    inputs.push_back(graph.array(value, arrays));
  }
  Arrays outputs = call.node->forward(inputs);
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    if (call.outputs[i] >= 0) arrays[call.outputs[i]] = std::move(outputs[i]);
  }
}

void count_uses_of_constants(TracedGraph& graph) {
  for (TracedValue& value : graph.values) {
    if (value.kind == TracedValue::Kind::kConstant) {
      value.constant_uses = value.constant.use_count();
    }
  }
}

bool constants_are_used(const TracedGraph& graph) {
  return std::ranges::none_of(graph.values, [](const TracedValue& value) {
    return value.kind == TracedValue::Kind::kConstant &&
           value.constant.use_count() < value.constant_uses;
  });
}

}  // namespace catena::functions
