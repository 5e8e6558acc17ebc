#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "catena/dataset/tokenizers/normalizers.h"
#include "catena/dataset/tokenizers/pre_tokenizers.h"
#include "catena/dataset/tokenizers/token_decoder.h"
#include "catena/serializers/json_field.h"

namespace catena::datasets {

using serializers::JsonField;

// A part of what a model gets: a text, or a token.
struct TemplatePart {
  enum Kind : uint8_t { kFirstText, kSecondText, kToken };
  Kind kind;
  int32_t type;
  int32_t id = -1;
  std::string token = {};
};

// What a model expects around a text, and around two.
struct TextTemplate {
  std::vector<TemplatePart> single = {{TemplatePart::kFirstText, 0}};
  std::vector<TemplatePart> pair = {{TemplatePart::kFirstText, 0},
                                    {TemplatePart::kSecondText, 1}};
};

struct PreTokenizerParts {
  PreTokenizer splits;       // none: a text is one word
  bool is_of_bytes = false;  // whether words become bytes
};

// Components of tokenizer.json: what their fields say. Throw IoError for a
// component, or a field, that they don't know.
Normalizer normalizer_of(const JsonField& field);  // none if it is null
PreTokenizerParts pre_tokenizer_of(const JsonField& field);
TextTemplate text_template_of(const JsonField& field);
DecoderRules decoder_rules_of(const JsonField& field);

}  // namespace catena::datasets
