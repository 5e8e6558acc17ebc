#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/attention/multi_head_attention.h"
#include "catena/links/normalization/layer_normalization.h"
#include "catena/links/normalization/rms_normalization.h"

namespace catena::links {

// What stands between the two layers of a block; the last three multiply two
// results of the first layer (functions/activation/gated.h).
enum class FeedForward : uint8_t {
  kRelu,
  kGelu,
  kTanhGelu,
  kSilu,
  kSwiglu,
  kGeglu,
  kTanhGeglu,
};

// The activation of x, or for a gated one, of the halves of its last axis: the
// first one is the gate.
Variable feed_forward_activation(const Variable& x, FeedForward activation);

struct TransformerBlockOptions {
  NamedFieldsOnly keywords = {};
  MultiHeadAttentionOptions attention = {};
  // The units between the two layers; by default four times those of x.
  std::optional<int64_t> hidden = std::nullopt;
  FeedForward activation = FeedForward::kGelu;
  // Whether the two layers have no biases; by default as attention.nobias.
  std::optional<bool> nobias = std::nullopt;
  // Whether sums are normalized, as in the first transformers and BERT, in
  // place of what layers get.
  bool post_norm = false;
  double eps = 1e-5;  // of the normalizations
  // In training, of what is added to x.
  double dropout = 0;
};

// A block of a transformer, which normalizes first, as GPT-2 and its successors
// do:
//
//   h = x + attention(norm1(x)),  y = h + layer2(activation(layer1(norm2(h))))
//
// With post_norm:
//
//   h = norm1(x + attention(x)),  y = norm2(h + layer2(activation(layer1(h))))
//
// Norm is LayerNormalization or RmsNormalization.
template <class Norm>
class BasicTransformerBlock : public Chain<BasicTransformerBlock<Norm>> {
 public:
  using Options = TransformerBlockOptions;

  // Throws ValueError when sizes are not positive, or as MultiHeadAttention
  // does.
  BasicTransformerBlock(int64_t units, int64_t heads,
                        const TransformerBlockOptions& options = {});

  // x and y are (B, T, units). Throws InvalidType when shapes do not match.
  Variable forward(const Variable& x, const AttentionCallOptions& call = {});
  Variable operator()(const Variable& x,
                      const AttentionCallOptions& call = {}) {
    return call_link(*this, x, call);
  }

  Child<Norm> norm1;
  Child<MultiHeadAttention> attention;
  Child<Norm> norm2;
  Child<Linear> layer1;
  Child<Linear> layer2;

 private:
  FeedForward activation_;
  double dropout_;
  bool post_norm_;
};

// The block of GPT-2.
using TransformerBlock = BasicTransformerBlock<LayerNormalization>;
// The block of Llama, which gives it tables for rotations at each call.
using RmsTransformerBlock = BasicTransformerBlock<RmsNormalization>;

}  // namespace catena::links

extern template class catena::links::BasicTransformerBlock<
    catena::links::LayerNormalization>;
extern template class catena::links::BasicTransformerBlock<
    catena::links::RmsNormalization>;
