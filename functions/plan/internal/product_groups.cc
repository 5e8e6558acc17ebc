#include "catena/functions/plan/internal/product_groups.h"

#include <algorithm>

#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

// Questions about the calls of a graph.
class Calls {
 public:
  Calls(const TracedGraph& graph, std::span<const Dtype> dtypes)
      : graph_(graph), dtypes_(dtypes), consumers_(graph.values.size()) {
    for (int i = 0; i < size(); ++i) {
      for (const int v : call(i).inputs) consumers_[v].push_back(i);
    }
  }

  int size() const { return static_cast<int>(graph_.calls.size()); }
  const TracedCall& call(int i) const { return graph_.calls[i]; }
  const TracedValue& value(int v) const { return graph_.values[v]; }

  bool is_convolution(const TracedCall& c) const {
    return c.is<kinds::Convolution>() && has_weights(c) &&
           has_one_dtype(c, 0) && value(c.inputs[0]).shape.ndim() <= 5 &&
           size_of(value(c.outputs[0]).shape) > 0;
  }
  bool is_linear(const TracedCall& c) const {
    return c.is<kinds::Linear>() && has_weights(c) && has_one_dtype(c, 0) &&
           c.inputs.size() >= 2 && value(c.inputs[0]).shape.ndim() == 2 &&
           value(c.inputs[1]).shape.ndim() == 2;
  }
  // By fixed statistics of channels.
  bool is_normalization_of(int i, int v) const {
    const TracedCall& c = call(i);
    if (!c.is<kinds::FixedBatchNormalization>() || c.inputs.size() != 5 ||
        c.inputs[0] != v || !has_weights(c) || !has_one_dtype(c, 1) ||
        value(c.outputs[0]).dtype != value(v).dtype) {
      return false;
    }
    const Shape& x = value(v).shape;
    Shape others = {0};
    for (int axis = 2; axis < x.ndim(); ++axis) others.push_back(axis);
    return c.description.sizes("axis") == others;
  }

  // The only call that reads a value, or -1.
  int only_consumer(int v) const {
    return value(v).uses == 1 && consumers_[v].size() == 1 ? consumers_[v][0]
                                                           : -1;
  }

 private:
  bool is_constant(int v) const {
    return value(v).kind == TracedValue::Kind::kParameter ||
           value(v).kind == TracedValue::Kind::kConstant;
  }
  // Whether there is one result, all arguments are nonempty arrays, and those
  // from 1 on weights.
  bool has_weights(const TracedCall& c) const {
    for (size_t i = 0; i < c.inputs.size(); ++i) {
      if (size_of(value(c.inputs[i]).shape) == 0) return false;
      if (i > 0 && !is_constant(c.inputs[i])) return false;
    }
    return !c.inputs.empty() && c.outputs.size() == 1 && c.outputs[0] >= 0;
  }
  // Whether the arguments from `first` on have one dtype, and one of the
  // group's.
  bool has_one_dtype(const TracedCall& c, size_t first) const {
    const Dtype dtype = value(c.inputs[first]).dtype;
    return std::ranges::find(dtypes_, dtype) != dtypes_.end() &&
           std::ranges::all_of(std::span(c.inputs).subspan(first),
                               [&](int v) { return value(v).dtype == dtype; });
  }

  const TracedGraph& graph_;
  std::span<const Dtype> dtypes_;
  std::vector<std::vector<int>> consumers_;  // by value
};

}  // namespace

ProductGroups::ProductGroups(const TracedGraph& graph,
                             std::span<const Dtype> dtypes)
    : number_of_(graph.calls.size(), -1) {
  const Calls calls(graph, dtypes);
  for (int i = 0; i < calls.size(); ++i) {
    const TracedCall& c = calls.call(i);
    const bool is_convolution = calls.is_convolution(c);
    if (!is_convolution && !calls.is_linear(c)) continue;
    ProductGroup group{.product = i,
                       .tail = i,
                       .result = c.outputs[0],
                       .is_convolution = is_convolution};
    const auto extend = [&](int next) {
      group.tail = next;
      group.result = calls.call(next).outputs[0];
      return calls.only_consumer(group.result);
    };
    int next = calls.only_consumer(group.result);
    if (is_convolution && next >= 0 &&
        calls.is_normalization_of(next, group.result)) {
      group.normalization = next;
      next = extend(next);
    }
    if (is_convolution && next >= 0 && number_of_[next] < 0 &&
        calls.call(next).is<kinds::Add>()) {
      const std::vector<int>& in = calls.call(next).inputs;
      const int other = in[0] == group.result ? in[1] : in[0];
      const TracedValue& sum = calls.value(group.result);
      if (other != group.result && calls.value(other).dtype == sum.dtype &&
          calls.value(other).shape == sum.shape) {
        group.addition = next;
        group.residual = other;
        next = extend(next);
      }
    }
    if (next >= 0 && calls.call(next).is<kinds::Relu>()) {
      group.relu = next;
      extend(next);
    }
    for (const int member : group.calls()) {
      if (member >= 0) number_of_[member] = static_cast<int>(groups_.size());
    }
    groups_.push_back(group);
  }
}

std::string name_of(const TracedGraph& graph, const ProductGroup& group) {
  std::string name;
  for (const int member : group.calls()) {
    if (member < 0) continue;
    if (!name.empty()) name += " + ";
    name += graph.calls[member].node->label();
  }
  return name;
}

Window window_of(const TracedGraph& graph, const TracedCall& convolution) {
  const FunctionDescription& of = convolution.description;
  return {.ksize = spatial_of(graph.values[convolution.inputs[1]].shape),
          .stride = of.sizes("stride"),
          .pad = of.sizes("pad"),
          .dilate = of.sizes("dilate")};
}

}  // namespace catena::functions
