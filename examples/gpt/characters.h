#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/named_fields_only.h"
#include "catena/links/model/language_model.h"

// Texts of characters for a language model.
namespace catena::examples {

// The characters of a text in ascending order; a character's id is its place.
class Characters {
 public:
  explicit Characters(std::string_view text);

  int64_t size() const { return static_cast<int64_t>(characters_.size()); }
  // Throws ValueError for a character that is not known.
  std::vector<int32_t> encode(std::string_view text) const;
  std::string decode(std::span<const int32_t> ids) const;

 private:
  std::string characters_;
};

struct WriteOptions {
  NamedFieldsOnly keywords = {};
  int64_t length = 300;  // characters to write
  // Scores are divided by it: near 0, the likeliest character always follows.
  double temperature = 0.8;
  uint64_t seed = 0;
};

// Continues a text, which must not be empty, character by character; the model
// sees at least as many of the last ones as half of its context. Returns the
// whole text.
std::string write_text(links::LanguageModel& model,
                       const Characters& characters, const std::string& start,
                       const WriteOptions& options = {});

}  // namespace catena::examples
