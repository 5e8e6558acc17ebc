#include "catena/autograd/computational_graph.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <unordered_map>

#include "catena/array/core/error.h"
#include "catena/autograd/function_description.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/variable_node.h"

namespace catena {
namespace {

// Escapes text for a quoted Graphviz string.
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + '"';
}

// Collects a graph, with nodes in the order they are found.
class GraphBuilder {
 public:
  explicit GraphBuilder(const ComputationalGraphOptions& options)
      : options_(options) {
    for (const auto& [name, variable] : options.names) {
      if (variable.defined()) names_.emplace(variable.node(), name);
    }
  }

  template <class Node>
  void add_output(const Node& node) {
    add(node);
    while (next_ < found_.size()) {
      if (const FunctionNode* function = found_[next_++].function) {
        expand(*function);
      }
    }
  }

  ComputationalGraph build() {
    // A function has the rank of its last input, and comes after it.
    std::vector<int> order(found_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::ranges::stable_sort(order, {}, [&](int i) {
      return std::pair(found_[i].node.rank, found_[i].node.is_function);
    });
    std::vector<int> position(found_.size());
    std::vector<ComputationalGraph::Node> nodes;
    for (const int i : order) {
      position[i] = static_cast<int>(nodes.size());
      nodes.push_back(std::move(found_[i].node));
    }
    for (auto& [from, to] : edges_) {
      from = position[from];
      to = position[to];
    }
    // A function that takes a variable twice has a single edge from it.
    std::ranges::sort(edges_);
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    return {std::move(nodes), std::move(edges_), options_};
  }

 private:
  struct Found {
    ComputationalGraph::Node node;
    const FunctionNode* function;
  };

  std::string label_of(const VariableNode& node) const {
    const auto name = names_.find(&node);
    const bool has_other_name = options_.show_name && name != names_.end();
    if (node.has_shape() && (has_other_name || !options_.show_name)) {
      return str(has_other_name ? name->second + ": " : "", node.shape(), ", ",
                 node.dtype());
    }
    return node.label();
  }

  std::string label_of(const FunctionNode& function) const {
    std::string label(function.label());
    if (!options_.show_options) return label;
    const FunctionDescription description = function.description();
    if (!description.options().empty()) label += "\n" + description.to_string();
    return label;
  }

  // The index of a node, which is added if new.
  template <class MakeNode>
  int number_of(const void* key, const FunctionNode* function,
                const MakeNode& make_node) {
    const auto [it, is_new] =
        numbers_.try_emplace(key, static_cast<int>(found_.size()));
    if (is_new) found_.push_back({make_node(), function});
    return it->second;
  }

  int add(const FunctionNode& function) {
    return number_of(&function, &function, [&] {
      return ComputationalGraph::Node{true, label_of(function),
                                      function.rank()};
    });
  }

  // The index that represents a variable in edges: its own or, if variables are
  // omitted, its creator's; -1 for none.
  int add(const VariableNode& node) {
    const FunctionNode* creator = node.creator();
    if (options_.remove_variable) return creator ? add(*creator) : -1;
    const bool is_new = !numbers_.contains(&node);
    const int number = number_of(&node, nullptr, [&] {
      return ComputationalGraph::Node{false, label_of(node), node.rank()};
    });
    if (is_new && creator != nullptr) {
      edges_.emplace_back(add(*creator), number);
    }
    return number;
  }

  void expand(const FunctionNode& function) {
    const int number = add(function);
    for (const Ref<VariableNode>& input : function.inputs()) {
      if (const int from = add(*input); from >= 0) {
        edges_.emplace_back(from, number);
      }
    }
  }

  const ComputationalGraphOptions& options_;
  std::vector<Found> found_;
  std::vector<ComputationalGraph::Edge> edges_;
  std::unordered_map<const VariableNode*, std::string> names_;
  std::unordered_map<const void*, int> numbers_;
  size_t next_ = 0;
};

std::string attributes(const std::string& label, const DotStyle& style) {
  std::string text = "label=" + in_quotes(label);
  for (const auto& [name, value] : style) {
    text += ", " + name + "=" + in_quotes(value);
  }
  return text;
}

ComputationalGraph build(std::span<const GraphEnd> outputs,
                         const ComputationalGraphOptions& options) {
  GraphBuilder builder(options);
  for (const GraphEnd& output : outputs) {
    if (output.function() != nullptr) {
      builder.add_output(*output.function());
    } else if (output.variable().defined()) {
      builder.add_output(*output.variable().node());
    } else {
      raise<ValueError>("build_computational_graph: an output is undefined");
    }
  }
  return builder.build();
}

}  // namespace

ComputationalGraph::ComputationalGraph(std::vector<Node> nodes,
                                       std::vector<Edge> edges,
                                       const ComputationalGraphOptions& options)
    : nodes_(std::move(nodes)), edges_(std::move(edges)), options_(options) {
  constexpr std::array<std::string_view, 4> kDirections = {"TB", "BT", "LR",
                                                           "RL"};
  if (std::ranges::find(kDirections, options.rankdir) == kDirections.end()) {
    raise<ValueError>(
        "ComputationalGraph: expected rankdir TB, BT, LR or RL, "
        "got '",
        options.rankdir, "'");
  }
}

std::string ComputationalGraph::dump(std::string_view format) const {
  if (format != "dot") {
    raise<NotImplementedError>(
        "ComputationalGraph::dump: expected the format 'dot', got '", format,
        "'");
  }
  std::string text =
      "digraph graphname {\n  rankdir=" + options_.rankdir + ";\n";
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const DotStyle& style = nodes_[i].is_function ? options_.function_style
                                                  : options_.variable_style;
    text += str("  node_", i, " [", attributes(nodes_[i].label, style), "];\n");
  }
  for (const auto& [from, to] : edges_) {
    text += str("  node_", from, " -> node_", to, ";\n");
  }
  return text + "}\n";
}

GraphEnd::GraphEnd(FunctionNode* function) : function_(function) {}

ComputationalGraph build_computational_graph(
    std::initializer_list<GraphEnd> outputs,
    const ComputationalGraphOptions& options) {
  return build(std::span<const GraphEnd>(outputs.begin(), outputs.size()),
               options);
}

ComputationalGraph build_computational_graph(
    const std::vector<Variable>& outputs,
    const ComputationalGraphOptions& options) {
  const std::vector<GraphEnd> ends(outputs.begin(), outputs.end());
  return build(ends, options);
}

}  // namespace catena
