#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "catena/dataset/tokenizers/encode_scratch.h"

namespace catena::datasets {

// Turns words into tokens. Serves many threads, each with its own scratch.
class TokenModel {
 public:
  virtual ~TokenModel() = default;
  // Appends the ids of a word: valid UTF-8, not empty. Throws ValueError for
  // what is not in the vocabulary where there is no unknown token.
  virtual void encode(std::string_view word, EncodeScratch& scratch,
                      std::vector<int32_t>& ids) const = 0;
};

}  // namespace catena::datasets
