#pragma once

#include <cstdint>
#include <string>

namespace catena::datasets {

// A token that is found in a text as it is, before the text is split into
// words, in the form of tokenizer.json.
struct AddedToken {
  std::string content;
  int32_t id = 0;
  // Where a text may hold it only if special tokens are allowed; and decode
  // leaves it out.
  bool is_special = false;
  // Whether it is looked for in the normalized text.
  bool is_normalized = false;
  // Whether spaces to its left or right belong to it.
  bool strips_left = false;
  bool strips_right = false;
  // Whether it is found only where no letter, digit or mark is beside it.
  bool is_single_word = false;

  friend bool operator==(const AddedToken&, const AddedToken&) = default;
};

}  // namespace catena::datasets
