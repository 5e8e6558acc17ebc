#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/named_fields_only.h"
#include "catena/dataset/tokenizers/tokenizer.h"

namespace catena::datasets {

struct TrainBpeOptions {
  NamedFieldsOnly keywords = {};
  // Tokens in all, special ones and 256 bytes among them. There are fewer if
  // the texts have no more pairs to merge.
  int64_t vocabulary = 32'000;
  // They get the last ids.
  std::vector<std::string> special_tokens = {"<|endoftext|>"};
  // A pair that is rarer is not merged.
  int64_t min_count = 2;
};

// Learns byte pair encoding (Sennrich, Haddow and Birch, 2016) from texts,
// which are split as GPT-2's are: again and again, the pair of tokens that is
// most frequent inside words becomes a token; among equals, that with the
// lowest ids. The same texts give the same tokenizer. save_tokenizer writes it.
//
// Bytes that are no UTF-8 count as U+FFFD. Throws ValueError when the
// vocabulary has no place for all bytes and special tokens, or exceeds
// 16,777,216; for special tokens that are empty or not distinct; and for
// min_count < 1.
Tokenizer train_bpe(const std::vector<std::string>& texts,
                    const TrainBpeOptions& options = {});
Tokenizer train_bpe(std::string_view text, const TrainBpeOptions& options = {});

}  // namespace catena::datasets
