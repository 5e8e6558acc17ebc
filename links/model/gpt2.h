#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "catena/links/attention/transformer_block.h"
#include "catena/links/chain.h"
#include "catena/links/connection/embed_id.h"
#include "catena/links/model/language_model.h"

namespace catena::links {

// The defaults are those of GPT-2's smallest model, with 124 million
// parameters.
struct Gpt2Options {
  NamedFieldsOnly keywords = {};
  int64_t vocabulary = 50257;
  int64_t context = 1024;  // the longest sequence
  int64_t units = 768;
  int64_t heads = 12;
  int64_t layers = 12;
  // The units between a block's two layers; by default 4 units.
  std::optional<int64_t> hidden = std::nullopt;
  // In training, of embeddings, weights of attention and what layers add.
  double dropout = 0.1;
  double eps = 1e-5;
  // The standard deviation of initial weights.
  double deviation = 0.02;
};

// GPT-2: a language model of transformer blocks, whose embedding of tokens is
// also the last layer's weight.
//
// Radford et al.: Language Models are Unsupervised Multitask Learners, 2019.
class Gpt2 : public Chain<Gpt2, LanguageModel> {
 public:
  using Options = Gpt2Options;

  // Weights are drawn from a normal distribution, those of layers that add to
  // their input with the standard deviation deviation / sqrt(2 layers). Throws
  // ValueError unless sizes are positive and heads divides units.
  explicit Gpt2(const Gpt2Options& options = {});

  LanguageModelSizes sizes() const override;
  // As LanguageModel::features().
  Variable features(const Variable& ids,
                    std::span<functions::KeyValueCache> caches = {}) override;
  const Param& output_weight() const override { return tokens->W; }

  const Gpt2Options& options() const { return options_; }

  Child<EmbedID> tokens;
  Child<EmbedID> positions;
  Child<ChainList> blocks;  // of TransformerBlock
  Child<LayerNormalization> norm;

 private:
  Gpt2Options options_;
};

}  // namespace catena::links
