#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/autograd/function_node.h"
#include "catena/autograd/variable.h"

namespace catena {

// Graphviz node attributes, as name-value pairs.
using DotStyle = std::vector<std::pair<std::string, std::string>>;

struct ComputationalGraphOptions {
  NamedFieldsOnly keywords = {};
  DotStyle variable_style = {
      {"shape", "oval"}, {"fillcolor", "#E0E0E0"}, {"style", "filled"}};
  DotStyle function_style = {
      {"shape", "box"}, {"fillcolor", "#6495ED"}, {"style", "filled"}};
  // Layout direction: TB, BT, LR or RL.
  std::string rankdir = "TB";
  // Omits the variables and connects functions directly.
  bool remove_variable = false;
  // Whether variable labels include the variable's name.
  bool show_name = true;
  // Whether the labels of functions have a second line with the options that
  // the functions state (FunctionNode::description()).
  bool show_options = false;
  // Names that replace those of some variables, such as the paths of
  // parameters, whose own names are alike in all layers.
  std::vector<std::pair<std::string, Variable>> names = {};
};

// The functions and variables that some outputs were computed from, stored as
// text, so that it outlives them. Nodes are in topological order, which depends
// on the graph alone.
class ComputationalGraph {
 public:
  struct Node {
    bool is_function;
    std::string label;
    int rank;
  };
  // Indices into nodes(): from an input to its function, or from a function to
  // its output.
  using Edge = std::pair<int, int>;

  ComputationalGraph(std::vector<Node> nodes, std::vector<Edge> edges,
                     const ComputationalGraphOptions& options = {});

  const std::vector<Node>& nodes() const& { return nodes_; }
  std::vector<Node> nodes() && { return std::move(nodes_); }
  const std::vector<Edge>& edges() const& { return edges_; }
  std::vector<Edge> edges() && { return std::move(edges_); }

  // The graph in Graphviz's DOT language. Throws NotImplementedError when the
  // format is not "dot".
  std::string dump(std::string_view format = "dot") const;

 private:
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  ComputationalGraphOptions options_;
};

// What a drawn graph ends in: a variable, or a function, whose outputs are left
// out.
class GraphEnd {
 public:
  GraphEnd(const Variable& variable) : variable_(variable) {}
  GraphEnd(FunctionNode* function);

  const Variable& variable() const { return variable_; }
  const FunctionNode* function() const { return function_.get(); }

 private:
  Variable variable_;
  Ref<FunctionNode> function_;
};

// Builds the graph that backward() from the outputs would traverse, down to
// leaves and unchained variables:
//
//   build_computational_graph({loss, accuracy.creator_node()})
//
// Throws ValueError when an output is undefined or null, or rankdir is unknown.
ComputationalGraph build_computational_graph(
    std::initializer_list<GraphEnd> outputs,
    const ComputationalGraphOptions& options = {});
ComputationalGraph build_computational_graph(
    const std::vector<Variable>& outputs,
    const ComputationalGraphOptions& options = {});

}  // namespace catena
