#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "catena/functions/attention/rotary_embedding.h"
#include "catena/links/attention/transformer_block.h"
#include "catena/links/chain.h"
#include "catena/links/connection/embed_id.h"
#include "catena/links/model/language_model.h"

namespace catena::links {

// The defaults are those of the first Llama with 7 billion parameters.
struct LlamaOptions {
  NamedFieldsOnly keywords = {};
  int64_t vocabulary = 32000;
  int64_t context = 2048;  // the longest sequence
  int64_t units = 4096;
  int64_t hidden = 11008;  // the units of the gated layer
  int64_t heads = 32;
  // As in MultiHeadAttentionOptions.
  std::optional<int64_t> kv_heads = std::nullopt;
  std::optional<int64_t> head_size = std::nullopt;
  int64_t layers = 32;
  double eps = 1e-6;
  double rotary_base = 10000;
  std::optional<functions::RotaryScaling> rotary_scaling = std::nullopt;
  // A token sees only those less than this far away, in layers from
  // first_window_layer on.
  std::optional<int64_t> window = std::nullopt;
  int64_t first_window_layer = 0;
  // Which layers have biases: those of queries, keys and values, the one behind
  // the heads, and those of the gated layer.
  bool qkv_bias = false;
  bool out_bias = false;
  bool hidden_bias = false;
  // Whether queries and keys of each head are normalized, too.
  bool query_key_norm = false;
  // Whether the embedding of tokens is also the last layer's weight.
  bool tied = false;
  // In training, the probability with which a weight of attention is dropped.
  double dropout = 0;
  // The standard deviation of initial weights.
  double deviation = 0.02;
};

// A language model of blocks with RMS normalization, rotary embeddings, shared
// keys and values, and gated layers: Llama 1 to 3, SmolLM2, Mistral (window),
// Qwen2 (qkv_bias) and Qwen3 (query_key_norm).
//
// Touvron et al.: LLaMA: Open and Efficient Foundation Language Models, 2023.
// Jiang et al.: Mistral 7B, 2023. Yang et al.: Qwen3 Technical Report, 2025.
class Llama : public Chain<Llama, LanguageModel> {
 public:
  using Options = LlamaOptions;

  // Throws ValueError unless sizes are positive, kv_heads divides heads, where
  // there is no head_size, heads divides units, a head's size is even, and the
  // rotary embedding's numbers are as rotary_tables() wants them.
  explicit Llama(const LlamaOptions& options = {});

  LanguageModelSizes sizes() const override;
  // As LanguageModel::features().
  Variable features(const Variable& ids,
                    std::span<functions::KeyValueCache> caches = {}) override;
  const Param& output_weight() const override {
    return options_.tied ? tokens->W : output;
  }

  const LlamaOptions& options() const { return options_; }

  Child<EmbedID> tokens;
  Child<ChainList> blocks;  // RmsTransformerBlock
  Child<RmsNormalization> norm;
  Param output;  // (vocabulary, units); absent if tied

 private:
  // The tables of positions from begin to end.
  functions::RotaryTables rotations(int64_t begin, int64_t end);

  LlamaOptions options_;
  functions::RotaryTables tables_;  // for the first positions
};

}  // namespace catena::links
