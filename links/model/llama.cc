#include "catena/links/model/llama.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {
namespace {

RmsTransformerBlock block_of(const LlamaOptions& options, int64_t layer) {
  const bool has_window = layer >= options.first_window_layer;
  MultiHeadAttentionOptions attention = {
      .kv_heads = options.kv_heads,
      .head_size = options.head_size,
      .nobias = !options.qkv_bias,
      .out_nobias = !options.out_bias,
      .causal = true,
      .window = has_window ? options.window : std::nullopt,
      .dropout = options.dropout,
      .initialW = initializers::Normal(options.deviation)};
  if (options.query_key_norm) attention.query_key_eps = options.eps;
  return RmsTransformerBlock(options.units, options.heads,
                             {.attention = attention,
                              .hidden = options.hidden,
                              .activation = FeedForward::kSwiglu,
                              .nobias = !options.hidden_bias,
                              .eps = options.eps});
}

int64_t head_size_of(const LlamaOptions& options) {
  return options.head_size.value_or(options.units / options.heads);
}

functions::RotaryTables tables(const LlamaOptions& options,
                               const Array& positions, Dtype dtype) {
  return functions::rotary_tables(positions, head_size_of(options),
                                  {.base = options.rotary_base,
                                   .scaling = options.rotary_scaling,
                                   .dtype = dtype});
}

const LlamaOptions& checked(const LlamaOptions& options) {
  constexpr int64_t kMaxLayers = int64_t{1} << 16;
  if (options.layers < 1 || options.layers > kMaxLayers) {
    raise<ValueError>("Llama: expected 1 to ", kMaxLayers, " layers, got ",
                      options.layers);
  }
  if (options.context < 1 || options.heads < 1 || options.units < 1 ||
      options.window.value_or(1) < 1 || options.first_window_layer < 0) {
    raise<ValueError>(
        "Llama: expected a positive context, heads, units and window, and "
        "first_window_layer of at least 0, got ",
        options.context, ", ", options.heads, ", ", options.units, ", ",
        options.window ? str(*options.window) : "none", " and ",
        options.first_window_layer);
  }
  constexpr int64_t kMaxHeadSize = int64_t{1} << 16;
  if (head_size_of(options) > kMaxHeadSize) {
    raise<ValueError>("Llama: expected heads of at most ", kMaxHeadSize,
                      " units, got ", head_size_of(options));
  }
  tables(options, array::empty({0}, Dtype::kInt64), Dtype::kFloat32);
  return options;
}

}  // namespace

Llama::Llama(const LlamaOptions& options)
    : tokens(
          this, "tokens", checked(options).vocabulary, options.units,
          EmbedIDOptions{.initialW = initializers::Normal(options.deviation)}),
      blocks(this, "blocks"),
      norm(this, "norm", options.units,
           RmsNormalizationOptions{.eps = options.eps}),
      output(options.tied ? Param()
                          : Param(this, "output",
                                  initializers::Normal(options.deviation),
                                  Shape{options.vocabulary, options.units})),
      options_(options) {
  for (int64_t i = 0; i < options.layers; ++i) {
    blocks->append(block_of(options, i));
  }
}

LanguageModelSizes Llama::sizes() const {
  return {.vocabulary = options_.vocabulary,
          .context = options_.context,
          .layers = options_.layers,
          .kv_heads = options_.kv_heads.value_or(options_.heads),
          .head_size = head_size_of(options_)};
}

functions::RotaryTables Llama::rotations(int64_t begin, int64_t end) {
  const Array& weights = tokens->W.data();
  const Dtype dtype =
      weights.dtype() == Dtype::kFloat64 ? Dtype::kFloat64 : Dtype::kFloat32;
  const bool fits = tables_.cos.defined() && tables_.cos.dtype() == dtype &&
                    tables_.cos.device() == weights.device();
  const int64_t count = fits ? tables_.cos.shape()[0] : 0;
  if (!fits || end > count) {
    const DeviceScope scope(weights.device());
    const int64_t larger = std::min(options_.context, std::max(end, 2 * count));
    tables_ = tables(options_, array::arange(larger), dtype);
  }
  const Slice some(begin, end);
  return {tables_.cos[{some}], tables_.sin[{some}]};
}

Variable Llama::features(const Variable& ids,
                         std::span<functions::KeyValueCache> caches) {
  const int64_t before = tokens_before("Llama", ids, caches);
  AttentionCallOptions call = {.rotary =
                                   rotations(before, before + ids.shape()[1])};
  Variable h = tokens(ids);
  for (int64_t i = 0; i < blocks->size(); ++i) {
    call.cache = caches.empty() ? nullptr : &caches[i];
    h = blocks->at<RmsTransformerBlock>(i)(h, call);
  }
  return (*norm)(h, {.n_batch_axes = 2});
}

}  // namespace catena::links
