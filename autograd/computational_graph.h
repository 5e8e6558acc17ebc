#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/autograd/variable.h"

namespace catena {

// Attributes of Graphviz's nodes, by name.
using DotStyle = std::vector<std::pair<std::string, std::string>>;

struct ComputationalGraphOptions {
  DotStyle variable_style = {
      {"shape", "oval"}, {"fillcolor", "#E0E0E0"}, {"style", "filled"}};
  DotStyle function_style = {
      {"shape", "box"}, {"fillcolor", "#6495ED"}, {"style", "filled"}};
  // Which way the graph grows: TB, BT, LR or RL.
  std::string rankdir = "TB";
  // Leaves the variables out; functions are joined directly.
  bool remove_variable = false;
  // Whether the names of variables are part of their labels.
  bool show_name = true;
};

// The functions and variables behind some variables, as text that outlives
// them. Nodes come before what is computed from them, and the order depends
// on the graph alone.
class ComputationalGraph {
 public:
  struct Node {
    bool is_function;
    std::string label;
    int rank;
  };
  // Positions in nodes(): from an input to its function, and from a function
  // to its output.
  using Edge = std::pair<int, int>;

  ComputationalGraph(std::vector<Node> nodes, std::vector<Edge> edges,
                     const ComputationalGraphOptions& options = {});

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Edge>& edges() const { return edges_; }

  // The graph in Graphviz's language, boxes for functions and ovals for
  // variables. NotImplementedError when the format is not "dot".
  std::string dump(std::string_view format = "dot") const;

 private:
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  ComputationalGraphOptions options_;
};

// The graph that backward() from the outputs would walk: it ends at leaves and
// where variables were unchained. ValueError when an output is undefined or
// rankdir unknown.
ComputationalGraph build_computational_graph(
    const std::vector<Variable>& outputs,
    const ComputationalGraphOptions& options = {});

}  // namespace catena
