#include "catena/links/model/bert.h"

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/activation/tanh.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {
namespace {

const BertOptions& checked(const BertOptions& options) {
  constexpr int64_t kMaxLayers = int64_t{1} << 16;
  if (options.layers < 1 || options.layers > kMaxLayers) {
    raise<ValueError>("Bert: expected 1 to ", kMaxLayers, " layers, got ",
                      options.layers);
  }
  if (options.classes < 0) {
    raise<ValueError>("Bert: expected classes of at least 0, got ",
                      options.classes);
  }
  if (!options.pooler && (options.next_sentence || options.classes > 0)) {
    raise<ValueError>(
        "Bert: expected a pooler, which next_sentence and classes need");
  }
  if (options.activation >= FeedForward::kSwiglu) {
    raise<ValueError>("Bert: expected an activation that is not gated");
  }
  return options;
}

LinearOptions layer_of(const BertOptions& options) {
  return {.initialW = initializers::Normal(options.deviation)};
}

EmbedIDOptions embedding_of(const BertOptions& options) {
  return {.initialW = initializers::Normal(options.deviation)};
}

TransformerBlockOptions block_of(const BertOptions& options) {
  return {.attention = {.dropout = options.dropout,
                        .initialW = initializers::Normal(options.deviation)},
          .hidden = options.hidden,
          .activation = options.activation,
          .post_norm = true,
          .eps = options.eps,
          .dropout = options.dropout};
}

template <class Part>
Part& checked_part(std::optional<Part>& part, const char* name) {
  if (!part) raise<ValueError>("Bert: expected a model with ", name);
  return *part;
}

}  // namespace

Bert::Bert(const BertOptions& options)
    : tokens(this, "tokens", checked(options).vocabulary, options.units,
             embedding_of(options)),
      positions(this, "positions", options.context, options.units,
                embedding_of(options)),
      token_types(this, "token_types", options.token_types, options.units,
                  embedding_of(options)),
      norm(this, "norm", options.units,
           LayerNormalizationOptions{.eps = options.eps}),
      blocks(this, "blocks"),
      masked_lm_bias(options.masked_lm ? Param(this, "masked_lm_bias", 0.0,
                                               Shape{options.vocabulary})
                                       : Param()),
      options_(options) {
  const LinearOptions layer = layer_of(options);
  for (int64_t i = 0; i < options.layers; ++i) {
    blocks->append(
        TransformerBlock(options.units, options.heads, block_of(options)));
  }
  if (options.pooler) {
    pooler.emplace(this, "pooler", options.units, options.units, layer);
  }
  if (options.masked_lm) {
    masked_lm.emplace(this, "masked_lm", options.units, options.units, layer);
    masked_lm_norm.emplace(this, "masked_lm_norm", options.units,
                           LayerNormalizationOptions{.eps = options.eps});
  }
  if (options.next_sentence) {
    next_sentence.emplace(this, "next_sentence", options.units, 2, layer);
  }
  if (options.classes > 0) {
    classifier.emplace(this, "classifier", options.units, options.classes,
                       layer);
  }
}

Variable Bert::forward(const Variable& ids, const BertCallOptions& call) {
  if (ids.ndim() != 2) {
    raise<InvalidType>("Bert: expected ids with two axes, got shape ",
                       ids.shape());
  }
  const int64_t steps = ids.shape()[1];
  if (steps > options_.context) {
    raise<ValueError>("Bert: expected at most ", options_.context,
                      " tokens, the context, got ", steps);
  }
  const Array types = call.token_types.defined()
                          ? call.token_types
                          : array::zeros_like(ids.data());
  if (types.shape() != ids.shape()) {
    raise<InvalidType>("Bert: expected token_types of the shape of ids, ",
                       ids.shape(), ", got ", types.shape());
  }
  const auto dropped = [this](const Variable& x) {
    return options_.dropout > 0
               ? functions::dropout(x, {.ratio = options_.dropout})
               : x;
  };
  Variable h = tokens(ids) + token_types(as_variable(types)) +
               functions::get_item(positions->W, {Slice(0, steps)});
  h = dropped((*norm)(h, {.n_batch_axes = 2}));
  for (int64_t i = 0; i < blocks->size(); ++i) {
    h = blocks->at<TransformerBlock>(i)(
        h, {.mask = call.mask, .lengths = call.lengths});
  }
  return h;
}

Variable Bert::pooled(const Variable& features) {
  Child<Linear>& layer = checked_part(pooler, "a pooler");
  return functions::tanh(layer(functions::get_item(features, {Slice(), 0})));
}

Variable Bert::masked_lm_scores(const Variable& features) {
  Linear& layer = *checked_part(masked_lm, "masked_lm");
  const Variable h = (**masked_lm_norm)(
      feed_forward_activation(layer(features, {.n_batch_axes = 2}),
                              options_.activation),
      {.n_batch_axes = 2});
  return functions::linear(h, tokens->W, masked_lm_bias, {.n_batch_axes = 2});
}

Variable Bert::next_sentence_scores(const Variable& features) {
  Child<Linear>& layer = checked_part(next_sentence, "next_sentence");
  return layer(pooled(features));
}

Variable Bert::class_scores(const Variable& features) {
  Child<Linear>& layer = checked_part(classifier, "classes");
  const Variable h = pooled(features);
  return layer(options_.dropout > 0
                   ? functions::dropout(h, {.ratio = options_.dropout})
                   : h);
}

}  // namespace catena::links
