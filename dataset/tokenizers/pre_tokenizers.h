#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "catena/dataset/tokenizers/split_pattern.h"

namespace catena::datasets {

// Takes a part of a text; `is_first` says whether the text begins with it.
using TakePart = absl::FunctionRef<void(std::string_view part, bool is_first)>;

// Splits a part of a text, valid UTF-8 and not empty, into words that are not
// empty. What `take` gets lasts as long as the call. Serves many threads.
using PreTokenizer =
    std::function<void(std::string_view text, bool is_first, TakePart take)>;

// What becomes of the matches of a pattern.
enum class SplitBehavior : uint8_t {
  kRemoved,
  kIsolated,
  kMergedWithPrevious,
  kMergedWithNext,
  kContiguous,  // matches beside each other are one word
};

enum class PrependScheme : uint8_t { kAlways, kNever, kFirst };

PreTokenizer splitting_by_pattern(SplitPattern pattern);
// Splits at a text, which is not empty, or at what is between it.
PreTokenizer splitting_at_text(std::string pattern, SplitBehavior behavior,
                               bool inverts);
PreTokenizer splitting_at_digits(bool one_by_one);
PreTokenizer splitting_at_punctuation(SplitBehavior behavior);
// Words, as \w+ matches them, and what else is between spaces.
PreTokenizer splitting_words();
PreTokenizer splitting_at_spaces();
// At spaces and around each punctuation mark, which in ASCII are all signs.
PreTokenizer bert_pre_tokenizer();
// Puts a blank in front unless there is one.
PreTokenizer prepending_blank();
// Makes blanks `replacement`, puts one in front unless there is one, and splits
// before each if `splits`.
PreTokenizer metaspace_pre_tokenizer(std::string replacement,
                                     PrependScheme scheme, bool splits);
PreTokenizer all_pre_tokenizers(std::vector<PreTokenizer> pre_tokenizers);

}  // namespace catena::datasets
