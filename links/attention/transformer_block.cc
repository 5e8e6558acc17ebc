#include "catena/links/attention/transformer_block.h"

#include "catena/array/core/error.h"
#include "catena/functions/activation/gated.h"
#include "catena/functions/activation/gelu.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/activation/silu.h"
#include "catena/functions/array/split_axis.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"

namespace catena::links {
namespace {

bool is_gated(FeedForward activation) {
  return activation >= FeedForward::kSwiglu;
}

int64_t hidden_units(int64_t units, const TransformerBlockOptions& options) {
  if (options.hidden.value_or(1) < 1) {
    raise<ValueError>("TransformerBlock: expected positive hidden, got ",
                      *options.hidden);
  }
  return options.hidden ? *options.hidden
                        : checked_size({4, units}, 1, "TransformerBlock");
}

// The units of the first layer's result.
int64_t layer1_units(int64_t units, const TransformerBlockOptions& options) {
  return checked_size(
      {is_gated(options.activation) ? 2 : 1, hidden_units(units, options)}, 1,
      "TransformerBlock");
}

LinearOptions layer(const TransformerBlockOptions& options, bool is_last) {
  const MultiHeadAttentionOptions& attention = options.attention;
  return {.nobias = options.nobias.value_or(attention.nobias),
          .initialW = is_last
                          ? attention.initial_outW.value_or(attention.initialW)
                          : attention.initialW,
          .initial_bias = attention.initial_bias};
}

}  // namespace

Variable feed_forward_activation(const Variable& x, FeedForward activation) {
  switch (activation) {
    case FeedForward::kRelu:
      return functions::relu(x);
    case FeedForward::kGelu:
      return functions::gelu(x);
    case FeedForward::kTanhGelu:
      return functions::gelu(x, {.tanh = true});
    case FeedForward::kSilu:
      return functions::silu(x);
    default:
      break;
  }
  const Variables parts = functions::split_axis(x, 2, {.axis = -1});
  if (activation == FeedForward::kSwiglu) {
    return functions::swiglu(parts[0], parts[1]);
  }
  return functions::geglu(parts[0], parts[1],
                          {.tanh = activation == FeedForward::kTanhGeglu});
}

template <class Norm>
BasicTransformerBlock<Norm>::BasicTransformerBlock(
    int64_t units, int64_t heads, const TransformerBlockOptions& options)
    : norm1(this, "norm1", units, typename Norm::Options{.eps = options.eps}),
      attention(this, "attention", units, heads, options.attention),
      norm2(this, "norm2", units, typename Norm::Options{.eps = options.eps}),
      layer1(this, "layer1", units, layer1_units(units, options),
             layer(options, false)),
      layer2(this, "layer2", hidden_units(units, options), units,
             layer(options, true)),
      activation_(options.activation),
      dropout_(options.dropout),
      post_norm_(options.post_norm) {}

template <class Norm>
Variable BasicTransformerBlock<Norm>::forward(
    const Variable& x, const AttentionCallOptions& call) {
  const auto dropped = [this](const Variable& y) {
    return dropout_ > 0 ? functions::dropout(y, {.ratio = dropout_}) : y;
  };
  const auto normalized = [](Norm& norm, const Variable& y) {
    return norm(y, {.n_batch_axes = 2});
  };
  const auto fed_forward = [this](const Variable& y) {
    const Variable inner =
        feed_forward_activation((*layer1)(y, {.n_batch_axes = 2}), activation_);
    return (*layer2)(inner, {.n_batch_axes = 2});
  };
  if (post_norm_) {
    const Variable h = normalized(*norm1, x + dropped((*attention)(x, call)));
    return normalized(*norm2, h + dropped(fed_forward(h)));
  }
  const Variable h = x + dropped((*attention)(normalized(*norm1, x), call));
  return h + dropped(fed_forward(normalized(*norm2, h)));
}

}  // namespace catena::links

template class catena::links::BasicTransformerBlock<
    catena::links::LayerNormalization>;
template class catena::links::BasicTransformerBlock<
    catena::links::RmsNormalization>;
