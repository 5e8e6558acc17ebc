#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catena/array/core/named_fields_only.h"
#include "catena/dataset/tokenizers/unicode.h"

namespace catena::datasets {

// Changes a text, valid UTF-8 and not empty, before it is split into words; it
// may become empty. Serves many threads.
using Normalizer = std::function<void(std::string& text)>;

struct BertNormalizerOptions {
  NamedFieldsOnly keywords = {};
  bool cleans_text = true;
  bool separates_ideographs = true;
  bool strips_accents = true;
  bool lowers_case = true;
};

Normalizer normalizing_form(NormalForm form);
Normalizer lowering_case();
// Removes all marks; there are none but in a decomposed form.
Normalizer stripping_accents();
Normalizer stripping_spaces(bool left, bool right);
Normalizer prepending(std::string text);
// Replaces `from`, which is not empty.
Normalizer replacing(std::string from, std::string to);
// In the order of the options: removes control characters and makes all spaces
// blanks, puts blanks around CJK ideographs, removes nonspacing marks after
// decomposition, and takes lower case.
Normalizer bert_normalizer(const BertNormalizerOptions& options);
Normalizer all_normalizers(std::vector<Normalizer> normalizers);

// The text with each `from`, which is not empty, replaced.
std::string replaced(std::string_view text, std::string_view from,
                     std::string_view to);

}  // namespace catena::datasets
