#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "catena/links/attention/transformer_block.h"
#include "catena/links/chain.h"
#include "catena/links/connection/embed_id.h"

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
  // In training, of embeddings, weights of attention and what layers add.
  double dropout = 0.1;
  double eps = 1e-5;
};

// GPT-2: a language model of transformer blocks, whose embedding of tokens is
// also the last layer's weight.
//
// Radford et al.: Language Models are Unsupervised Multitask Learners, 2019.
class Gpt2 : public Chain<Gpt2> {
 public:
  using Options = Gpt2Options;

  // Weights are drawn from a normal distribution with standard deviation 0.02,
  // those of layers that add to their input with 0.02 / sqrt(2 layers). Throws
  // ValueError unless sizes are positive and heads divides units.
  explicit Gpt2(const Gpt2Options& options = {});

  // The scores of each next token, (B, T, vocabulary), of ids (B, T). Throws
  // ValueError when T is more than the context or an id is not in the
  // vocabulary, InvalidType when ids are no integers with two axes.
  //
  // With caches, the ids follow those of earlier calls, which they see: a text
  // is continued by one id at a time. Throws ValueError then unless there is a
  // cache for each layer, and when ids and those before are more than the
  // context.
  Variable forward(const Variable& ids,
                   std::span<functions::KeyValueCache> caches = {});

  // Empty caches for `batch` texts, on the model's device.
  std::vector<functions::KeyValueCache> make_caches(int64_t batch = 1) const;

  const Gpt2Options& options() const { return options_; }

  Child<EmbedID> tokens;
  Child<EmbedID> positions;
  Child<ChainList> blocks;  // of TransformerBlock
  Child<LayerNormalization> norm;

 private:
  Gpt2Options options_;
};

}  // namespace catena::links
