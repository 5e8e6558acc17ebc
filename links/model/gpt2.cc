#include "catena/links/model/gpt2.h"

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {
namespace {

TransformerBlockOptions block_options(const Gpt2Options& options) {
  const double layers = static_cast<double>(options.layers);
  return {.attention = {.causal = true,
                        .dropout = options.dropout,
                        .initialW = initializers::Normal(options.deviation),
                        .initial_outW = initializers::Normal(
                            options.deviation / std::sqrt(2 * layers))},
          .hidden = options.hidden,
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
    : tokens(
          this, "tokens", checked(options).vocabulary, options.units,
          EmbedIDOptions{.initialW = initializers::Normal(options.deviation)}),
      positions(
          this, "positions", options.context, options.units,
          EmbedIDOptions{.initialW = initializers::Normal(options.deviation)}),
      blocks(this, "blocks"),
      norm(this, "norm", options.units,
           LayerNormalizationOptions{.eps = options.eps}),
      options_(options) {
  for (int64_t i = 0; i < options.layers; ++i) {
    blocks->append(
        TransformerBlock(options.units, options.heads, block_options(options)));
  }
}

LanguageModelSizes Gpt2::sizes() const {
  return {.vocabulary = options_.vocabulary,
          .context = options_.context,
          .layers = options_.layers,
          .kv_heads = options_.heads,
          .head_size = options_.units / options_.heads};
}

Variable Gpt2::features(const Variable& ids,
                        std::span<functions::KeyValueCache> caches) {
  const int64_t before = tokens_before("Gpt2", ids, caches);
  const int64_t steps = ids.shape()[1];
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
  return (*norm)(h, {.n_batch_axes = 2});
}

}  // namespace catena::links
