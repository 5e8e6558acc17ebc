#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/functions/attention/key_value_cache.h"
#include "catena/links/chain.h"

namespace catena::links {

// What caches and writers of texts need to know of a model.
struct LanguageModelSizes {
  int64_t vocabulary = 0;
  int64_t context = 0;  // the longest sequence
  int64_t layers = 0;
  int64_t kv_heads = 0;  // a layer's, for keys and values
  int64_t head_size = 0;
};

// A model that tells how probable each token is as the next one of a text: what
// Gpt2 and Llama have in common.
class LanguageModel : public ChainBase {
 public:
  virtual LanguageModelSizes sizes() const = 0;

  // What the last layer makes of ids (B, T): (B, T, units). Throws InvalidType
  // when ids are no integers with two axes, ValueError when T is more than the
  // context or an id is not in the vocabulary.
  //
  // With caches, the ids follow those of earlier calls, which they see: a text
  // is continued by one id at a time. Throws ValueError then unless there is a
  // cache for each layer, and when ids and those before are more than the
  // context or the caches' capacity.
  virtual Variable features(
      const Variable& ids, std::span<functions::KeyValueCache> caches = {}) = 0;
  // (vocabulary, units): its products with features are the scores.
  virtual const Param& output_weight() const = 0;

  // The scores of each next token, (B, T, vocabulary), of ids (B, T). Throws as
  // features() does.
  Variable forward(const Variable& ids,
                   std::span<functions::KeyValueCache> caches = {});
  Variable operator()(const Variable& ids,
                      std::span<functions::KeyValueCache> caches = {}) {
    return call_link(*this, ids, caches);
  }

  // Empty caches for `batch` texts of up to `capacity` tokens, by default the
  // context, on the model's device. Throws ValueError when batch is negative or
  // capacity is not from 0 to the context.
  std::vector<functions::KeyValueCache> make_caches(
      int64_t batch = 1, std::optional<int64_t> capacity = std::nullopt) const;

 protected:
  // Checks what features() is called with; messages begin with `name`. Returns
  // the number of tokens in the caches.
  int64_t tokens_before(std::string_view name, const Variable& ids,
                        std::span<const functions::KeyValueCache> caches) const;
};

// Defaults continue a text by the most probable token each time.
struct GenerateOptions {
  NamedFieldsOnly keywords = {};
  // How many tokens to write at most.
  int64_t max_tokens = 128;
  // Scores are divided by it before one of the tokens is drawn; at 0, the one
  // with the largest score is taken.
  double temperature = 0;
  // Draws from that many tokens with the largest scores; 0: from all.
  int64_t top_k = 0;
  // Draws from the most probable tokens that have this probability together.
  double top_p = 1;
  // Positive scores of tokens that the text has are divided by it, negative
  // ones multiplied (Keskar et al., 2019).
  double repetition_penalty = 1;
  // By default, a number of the operating system.
  std::optional<uint64_t> seed = std::nullopt;

  // Writing ends with one of these, which is not part of the result,
  std::vector<int32_t> stop_ids = {};
  // when the result ends with one of these, which is cut off,
  std::vector<std::vector<int32_t>> stop_sequences = {};
  // when the text of the result contains one of these. `decode`, called once
  // with each token that is written, returns what it adds to the text, as
  // datasets::StreamDecoder::add does;
  std::vector<std::string> stop_texts = {};
  std::function<std::string(int32_t)> decode = {};
  // or when this, called with each token that is written, returns false.
  std::function<bool(int32_t)> on_token = {};

  // With more than 1, the texts that are most probable so far are continued
  // side by side, and the best one is the result: that with the largest sum of
  // log probabilities, divided by length^length_penalty. Writing ends when as
  // many texts have ended, and none that goes on is better.
  int64_t beams = 1;
  double length_penalty = 1;
};

// Why a text ended.
enum class GenerationEnd : uint8_t {
  kMaxTokens,
  kContext,   // there is no place for more
  kStop,      // stop_ids, stop_sequences or stop_texts
  kCallback,  // on_token returned false
};

// What generate() has written.
struct Generation {
  std::vector<int32_t> ids;
  GenerationEnd end = GenerationEnd::kMaxTokens;
};

// Continues a text. Dropout is off, and no graph is built. The result depends
// on the seed, but not on the number of threads. Where the context is full,
// writing ends.
//
// Throws ValueError when ids are none, more than the context or not in the
// vocabulary; when max_tokens, top_k or temperature is negative, top_p not in
// (0, 1], repetition_penalty not positive, beams not from 1 to 1,000, a number
// not finite, a stop sequence or text empty; for stop texts without decode; for
// beams with a temperature, stop sequences, stop texts or on_token; and when a
// score is NaN or plus infinity.
Generation generate(LanguageModel& model, std::span<const int32_t> ids,
                    const GenerateOptions& options = {});

}  // namespace catena::links
