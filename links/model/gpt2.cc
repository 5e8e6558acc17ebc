#include "catena/links/model/gpt2.h"

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {
namespace {

constexpr double kDeviation = 0.02;

TransformerBlockOptions block_options(const Gpt2Options& options) {
  const double layers = static_cast<double>(options.layers);
  return {.attention = {.causal = true,
                        .dropout = options.dropout,
                        .initialW = initializers::Normal(kDeviation),
                        .initial_outW = initializers::Normal(
                            kDeviation / std::sqrt(2 * layers))},
          .activation = FeedForward::kTanhGelu,
          .eps = options.eps,
          .dropout = options.dropout};
}

const Gpt2Options& checked(const Gpt2Options& options) {
  constexpr int64_t kMaxLayers = int64_t{1} << 16;
  if (options.layers < 1 || options.layers > kMaxLayers) {
    raise<ValueError>("Gpt2: expected 1 to ", kMaxLayers, " layers, got ",
                      options.layers);
  }
  return options;
}

}  // namespace

Gpt2::Gpt2(const Gpt2Options& options)
    : tokens(this, "tokens", checked(options).vocabulary, options.units,
             EmbedIDOptions{.initialW = initializers::Normal(kDeviation)}),
      positions(this, "positions", options.context, options.units,
                EmbedIDOptions{.initialW = initializers::Normal(kDeviation)}),
      blocks(this, "blocks"),
      norm(this, "norm", options.units,
           LayerNormalizationOptions{.eps = options.eps}),
      options_(options) {
  for (int64_t i = 0; i < options.layers; ++i) {
    blocks->append(
        TransformerBlock(options.units, options.heads, block_options(options)));
  }
}

std::vector<functions::KeyValueCache> Gpt2::make_caches(int64_t batch) const {
  const Array& weights = tokens->W.data();
  const DeviceScope scope(weights.device());
  const functions::KeyValueCacheOptions sizes = {
      .batch = batch,
      .heads = options_.heads,
      .size = options_.units / options_.heads,
      .capacity = options_.context,
      .dtype = weights.dtype()};
  std::vector<functions::KeyValueCache> caches;
  for (int64_t i = 0; i < options_.layers; ++i) caches.emplace_back(sizes);
  return caches;
}

Variable Gpt2::forward(const Variable& ids,
                       std::span<functions::KeyValueCache> caches) {
  if (ids.ndim() != 2) {
    raise<InvalidType>("Gpt2: expected ids with two axes, got shape ",
                       ids.shape());
  }
  if (!caches.empty() && std::ssize(caches) != blocks->size()) {
    raise<ValueError>("Gpt2: expected caches of ", blocks->size(),
                      " layers, got ", caches.size());
  }
  const int64_t before = caches.empty() ? 0 : caches[0].length();
  const int64_t steps = ids.shape()[1];
  if (steps > options_.context - before) {
    raise<ValueError>("Gpt2: expected at most ", options_.context,
                      " tokens, the context, got ", before + steps);
  }
  Variable h = tokens(ids) + functions::get_item(
                                 positions->W, {Slice(before, before + steps)});
  if (options_.dropout > 0) {
    h = functions::dropout(h, {.ratio = options_.dropout});
  }
  for (int64_t i = 0; i < blocks->size(); ++i) {
    functions::KeyValueCache* const cache =
        caches.empty() ? nullptr : &caches[i];
    h = blocks->at<TransformerBlock>(i)(h, {.cache = cache});
  }
  return functions::linear((*norm)(h, {.n_batch_axes = 2}), tokens->W, {},
                           {.n_batch_axes = 2});
}

}  // namespace catena::links
