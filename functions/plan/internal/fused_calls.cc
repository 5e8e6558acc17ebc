#include "catena/functions/plan/internal/fused_calls.h"

#include <algorithm>
#include <string>
#include <utility>

#include "catena/array/channels_last.h"
#include "catena/array/creation.h"
#include "catena/array/image_order.h"
#include "catena/functions/connection/internal/convolution_cudnn.h"
#include "catena/functions/connection/internal/convolution_kernel.h"
#include "catena/functions/engines/elementwise/elementwise_call.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/plan/internal/fold_ops.h"

namespace catena::functions {
namespace {

// Those of cuDNN's convolutions that take in other calls.
constexpr Dtype kDtypes[] = {Dtype::kFloat32, Dtype::kFloat16,
                             Dtype::kBFloat16};

// Whether images pass from convolution to convolution with their channels last,
// as tensor cores read them.
bool are_channels_last(Dtype dtype) {
  return item_size(dtype) == 2 && fused_convolution_cudnn.is_filled();
}

}  // namespace

FusedCalls::FusedCalls(const TracedGraph& graph, bool folds_once)
    : graph_(graph), groups_(graph, kDtypes) {
  const auto n_calls = static_cast<int>(graph.calls.size());
  for (int i = 0; i < n_calls; ++i) {
    const ProductGroup* const group = groups_.of(i);
    if (group == nullptr || group->product != i || group->tail == i ||
        !group->is_convolution) {
      continue;
    }
    Fused& fused = fused_[i];
    if (folds_once) fused.weights = folded(*group);
    const TracedCall& product = graph.calls[i];
    if (product.inputs.size() < 3 && group->normalization < 0) {
      const TracedValue& W = graph.values[product.inputs[1]];
      fused.zeros = array::zeros({W.shape[0]}, W.dtype, W.device);
    }
  }
  ValueUses uses(graph);
  for (int i = 0; i < n_calls; ++i) {
    const ProductGroup* const group = fused(i);
    uses.add_call(graph.calls[i], group == nullptr ? i : group->tail);
  }
  released_ = uses.released(n_calls);
}

const ProductGroup* FusedCalls::fused(int call) const {
  const ProductGroup* const group = groups_.of(call);
  return group != nullptr && fused_.contains(group->product) ? group : nullptr;
}

// In the dtype of the parameters of batch normalization, which is wider than
// the weights' in mixed precision.
FusedCalls::Weights FusedCalls::folded(const ProductGroup& group) const {
  const TracedCall& product = graph_.calls[group.product];
  const Array& W = graph_.leaf(product.inputs[1]);
  const Array b =
      product.inputs.size() > 2 ? graph_.leaf(product.inputs[2]) : Array();
  const bool reorders = are_channels_last(W.dtype());
  if (group.normalization < 0) {
    return {reorders ? array::in_channels_last(W) : W, b};
  }
  const TracedCall& normalization = graph_.calls[group.normalization];
  const auto parameter = [&](int k) -> const Array& {
    return graph_.leaf(normalization.inputs[k]);
  };
  const Array& gamma = parameter(1);
  const Array& beta = parameter(2);
  const Array& mean = parameter(3);
  const Array& var = parameter(4);
  const auto as = [](const Array& a, Dtype dtype) {
    return a.astype(dtype, Array::CopyPolicy::kIfNeeded);
  };
  const double eps = normalization.description.number("eps");
  // The result is in C order, so W's axes get the order of the memory.
  const Array wide_W =
      as(reorders ? array::channels_moved_last(W) : W, gamma.dtype());
  Shape of_channels = Shape::filled(W.ndim(), 1);
  of_channels[0] = W.shape()[0];
  const Array gamma_of_W = gamma.reshape(of_channels);
  const Array var_of_W = var.reshape(of_channels);
  const FoldedWeightsOp fold_weights{eps};
  const Array folded_W =
      as(run_rule(rule_slot<FoldedWeightsOp, 3>(), &fold_weights,
                  {&wide_W, &gamma_of_W, &var_of_W}),
         W.dtype());
  const Array wide_b =
      b.defined() ? as(b, gamma.dtype()) : array::zeros_like(mean);
  const FoldedBiasOp fold_bias{eps};
  const Array folded_b = as(run_rule(rule_slot<FoldedBiasOp, 5>(), &fold_bias,
                                     {&wide_b, &gamma, &beta, &mean, &var}),
                            W.dtype());
  return {reorders ? array::as_channels_last(folded_W) : folded_W, folded_b};
}

void FusedCalls::run_group(const ProductGroup& group,
                           std::vector<Array>& arrays) const {
  const TracedCall& product = graph_.calls[group.product];
  const Array& x = graph_.array(product.inputs[0], arrays);
  const Fused& fused = fused_.at(group.product);
  Weights weights = fused.weights;
  if (!weights.W.defined()) weights = folded(group);
  const Array residual =
      group.addition < 0 ? Array() : graph_.array(group.residual, arrays);
  if (fused_convolution_cudnn.is_filled()) {
    const ConvolutionGeometry geometry{window_of(graph_, product),
                                       product.description.integer("groups")};
    const Array& b = weights.b.defined() ? weights.b : fused.zeros;
    const Shape& shape = graph_.values[group.result].shape;
    const Array y =
        are_channels_last(x.dtype())
            ? array::empty_channels_last(shape, x.dtype(), x.device())
            : array::empty(shape, x.dtype(), x.device());
    if (fused_convolution_cudnn(
            x.device(), {product.node->label(), geometry, x, weights.W, y, b},
            {residual, group.relu >= 0})) {
      arrays[group.result] = y;
      return;
    }
  }
  Arrays in = {x, weights.W};
  if (weights.b.defined()) in.push_back(weights.b);
  Array y = std::move(product.node->forward(in)[0]);
  const auto call = [&](int i, const Arrays& inputs) {
    if (i >= 0) y = std::move(graph_.calls[i].node->forward(inputs)[0]);
  };
  call(group.addition, {y, residual});
  call(group.relu, {y});
  arrays[group.result] = y;
}

std::vector<Array> FusedCalls::run(const std::vector<Array>& inputs) const {
  std::vector<Array> arrays = arrays_of_inputs(graph_, inputs);
  for (size_t i = 0; i < graph_.calls.size(); ++i) {
    const auto number = static_cast<int>(i);
    const ProductGroup* const group = fused(number);
    if (group == nullptr) {
      run_call(graph_, graph_.calls[i], arrays);
    } else if (group->tail == number) {
      run_group(*group, arrays);
    }
    for (const int v : released_[i]) arrays[v] = Array();
  }
  return outputs_of(graph_, arrays);
}

std::vector<PlanStep> FusedCalls::steps() const {
  std::vector<PlanStep> steps;
  for (size_t i = 0; i < graph_.calls.size(); ++i) {
    const TracedCall& call = graph_.calls[i];
    const auto number = static_cast<int>(i);
    const ProductGroup* const group = fused(number);
    if (group == nullptr) {
      const auto output =
          std::ranges::find_if(call.outputs, [](int v) { return v >= 0; });
      steps.push_back({.functions = std::string(call.node->label()),
                       .kind = "call",
                       .shape = output == call.outputs.end()
                                    ? Shape()
                                    : graph_.values[*output].shape});
    } else if (group->tail == number) {
      steps.push_back({.functions = name_of(graph_, *group),
                       .kind = "fused",
                       .shape = graph_.values[group->result].shape});
    }
  }
  return steps;
}

}  // namespace catena::functions
