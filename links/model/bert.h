#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/attention/transformer_block.h"
#include "catena/links/chain.h"
#include "catena/links/connection/embed_id.h"

namespace catena::links {

// The defaults are those of BERT's base model with 110 million parameters.
struct BertOptions {
  NamedFieldsOnly keywords = {};
  int64_t vocabulary = 30522;
  int64_t context = 512;  // the longest sequence
  int64_t token_types = 2;
  int64_t units = 768;
  int64_t hidden = 3072;  // the units between a block's two layers
  int64_t heads = 12;
  int64_t layers = 12;
  FeedForward activation = FeedForward::kGelu;  // not a gated one
  // In training, of embeddings, weights of attention, what layers add, and what
  // class_scores() classifies.
  double dropout = 0.1;
  double eps = 1e-12;
  // The parts behind the blocks. The last two need the pooler.
  bool pooler = true;
  bool masked_lm = false;
  bool next_sentence = false;
  int64_t classes = 0;
  // The standard deviation of initial weights.
  double deviation = 0.02;
};

struct BertCallOptions {
  NamedFieldsOnly keywords = {};
  Array token_types = {};  // (B, T), integers; by default zeros
  Array lengths = {};      // (B,), integers: an item has that many tokens
  Array mask = {};         // broadcasts to (B, heads, T, T)
};

// BERT: an encoder of texts, whose tokens see each other.
//
// Devlin et al.: BERT: Pre-training of Deep Bidirectional Transformers for
// Language Understanding, 2019.
class Bert : public Chain<Bert> {
 public:
  using Options = BertOptions;

  // Throws ValueError unless sizes are positive, heads divides units, and the
  // parts that need the pooler have it.
  explicit Bert(const BertOptions& options = {});

  // What the last block makes of ids (B, T): (B, T, units). Throws InvalidType
  // when ids are no integers with two axes or an option does not match them,
  // ValueError when T is more than the context, or an id is not in the
  // vocabulary or a type not among the token types.
  Variable forward(const Variable& ids, const BertCallOptions& call = {});
  Variable operator()(const Variable& ids, const BertCallOptions& call = {}) {
    return call_link(*this, ids, call);
  }

  // These take what forward() returned, and throw ValueError when the part is
  // absent.

  // The tanh of a layer of the first token's: (B, units).
  Variable pooled(const Variable& features);
  // The scores of what a masked token is: (B, T, vocabulary).
  Variable masked_lm_scores(const Variable& features);
  // Whether the second sentence follows the first one, or not: (B, 2).
  Variable next_sentence_scores(const Variable& features);
  Variable class_scores(const Variable& features);  // (B, classes)

  const BertOptions& options() const { return options_; }

  Child<EmbedID> tokens;
  Child<EmbedID> positions;
  Child<EmbedID> token_types;
  Child<LayerNormalization> norm;
  Child<ChainList> blocks;  // TransformerBlock, with post_norm
  std::optional<Child<Linear>> pooler;
  std::optional<Child<Linear>> masked_lm;
  std::optional<Child<LayerNormalization>> masked_lm_norm;
  Param masked_lm_bias;  // (vocabulary,); the weight is that of tokens
  std::optional<Child<Linear>> next_sentence;
  std::optional<Child<Linear>> classifier;

 private:
  BertOptions options_;
};

}  // namespace catena::links
