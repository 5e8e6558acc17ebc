#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

#include "catena/autograd/function_description.h"
#include "catena/autograd/function_node.h"

// The graph of one call of a function, as lists of values and calls.
namespace catena::functions {

// What a plan is traced from.
using PlannedFunction =
    std::function<std::vector<Variable>(const std::vector<Variable>&)>;

// An array that the function reads or computes.
struct TracedValue {
  enum class Kind {
    kInput,      // an argument of the function
    kParameter,  // a variable that others hold: read in each run
    kConstant,   // an array that the function made or holds
    kResult,     // of a call
  };
  Kind kind = Kind::kResult;
  Shape shape = {};
  Dtype dtype = Dtype::kFloat32;
  Device device = {};
  int index = -1;                   // of an input
  Ref<VariableNode> variable = {};  // of a parameter
  Array constant = {};
  int constant_uses = 0;  // use_count of the constant in a plan
  int uses = 0;           // arguments of calls, and outputs

  bool is_leaf() const { return kind != Kind::kResult; }
};

// A call of a function node, and how the node describes itself.
struct TracedCall {
  Ref<FunctionNode> node;
  std::vector<int> inputs;
  std::vector<int> outputs;  // -1 for what nobody reads
  FunctionDescription description = {};

  template <class Kind>
  bool is() const {
    return description.is<Kind>();
  }
};

// Which function was called; the label is for messages.
struct CalledFunction {
  std::type_index type;
  std::string label;

  friend bool operator==(const CalledFunction&,
                         const CalledFunction&) = default;
};

struct TracedGraph {
  std::vector<TracedValue> values;
  std::vector<TracedCall> calls;  // in the order of the trace
  std::vector<int> outputs;
  // All functions that were called, those whose results are constants, too.
  std::vector<CalledFunction> functions;

  // The array of a leaf other than an input, as it is now.
  const Array& leaf(int value) const {
    const TracedValue& v = values[value];
    return v.kind == TracedValue::Kind::kParameter ? v.variable->data()
                                                   : v.constant;
  }
  // A value in a run: see arrays_of_inputs.
  const Array& array(int value, const std::vector<Array>& arrays) const {
    return arrays[value].defined() ? arrays[value] : leaf(value);
  }
};

// Calls the function on the arrays and returns its graph, and its results if
// `results` is not null. Throws ValueError where the function calls one that
// does not repeat (dropout, batch normalization with the statistics of the
// batch), or has no results.
TracedGraph trace_graph(const PlannedFunction& function,
                        const std::vector<Array>& inputs,
                        std::vector<Array>* results);

// A run keeps its arrays by the values' numbers: at first the graph's inputs,
// then what calls compute.
std::vector<Array> arrays_of_inputs(const TracedGraph& graph,
                                    const std::vector<Array>& inputs);
std::vector<Array> outputs_of(const TracedGraph& graph,
                              const std::vector<Array>& arrays);
// Calls the node of a call.
void run_call(const TracedGraph& graph, const TracedCall& call,
              std::vector<Array>& arrays);

// When the steps of a run read the values of a graph, or compute them.
class ValueUses {
 public:
  explicit ValueUses(const TracedGraph& graph);

  void add(int value, int step);
  void add_call(const TracedCall& call, int step);
  // What each step is the last to use, and a run can then release: no outputs
  // of the graph.
  std::vector<std::vector<int>> released(int n_steps) const;

 private:
  const TracedGraph& graph_;
  std::vector<int> last_;  // by value; -1: unused
};

// Remembers how often the graph's constants are used, once a plan holds what it
// needs.
void count_uses_of_constants(TracedGraph& graph);
// Whether all constants still have their owners, which would otherwise have
// replaced them.
bool constants_are_used(const TracedGraph& graph);

}  // namespace catena::functions
