#include "catena/functions/plan/internal/folded_weights.h"

#include <cmath>
#include <utility>
#include <vector>

namespace catena::functions {
namespace {

// W and b become those of normalization(product).
void fold(const TracedGraph& graph, const TracedCall& normalization, Array& W,
          std::vector<double>& b) {
  Array leaves[4];
  for (int k = 0; k < 4; ++k) {
    leaves[k] = graph.leaf(normalization.inputs[k + 1]).contiguous();
  }
  const auto* const gamma = leaves[0].data<float>();
  const auto* const beta = leaves[1].data<float>();
  const auto* const mean = leaves[2].data<float>();
  const auto* const var = leaves[3].data<float>();
  const double eps = normalization.description.number("eps");
  W = W.copy();
  const auto out = static_cast<int64_t>(b.size());
  const int64_t columns = W.size() / out;
  for (int64_t i = 0; i < out; ++i) {
    const double scale = gamma[i] / std::sqrt(var[i] + eps);
    b[i] = (b[i] - mean[i]) * scale + beta[i];
    float* const row = W.data<float>() + i * columns;
    for (int64_t k = 0; k < columns; ++k) {
      row[k] = static_cast<float>(row[k] * scale);
    }
  }
}

}  // namespace

PackedWeights folded_weights(
    const TracedGraph& graph, const ProductGroup& group,
    std::function<void(const Array& W, std::span<const double> b)> store) {
  const TracedCall& product = graph.calls[group.product];
  const TracedCall* const normalization =
      group.normalization < 0 ? nullptr : &graph.calls[group.normalization];
  PackedWeights packed;
  packed.leaves.assign(product.inputs.begin() + 1, product.inputs.end());
  if (normalization != nullptr) {
    packed.leaves.insert(packed.leaves.end(), normalization->inputs.begin() + 1,
                         normalization->inputs.end());
  }
  packed.pack = [&graph, &product, normalization, store = std::move(store)] {
    Array W = graph.leaf(product.inputs[1]).contiguous();
    std::vector<double> b(W.shape()[0]);
    if (product.inputs.size() > 2) {
      b = graph.leaf(product.inputs[2]).to_vector<double>();
    }
    if (normalization != nullptr) fold(graph, *normalization, W, b);
    store(W, b);
  };
  return packed;
}

}  // namespace catena::functions
