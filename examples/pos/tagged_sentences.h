#pragma once

#include <string>
#include <string_view>
#include <vector>

// Sentences with the part of speech of each word, in the format of the Brown
// corpus (W. N. Francis and H. Kucera, 1964): one sentence per line, as
// word/tag.
//
//   The/at can/nn can/md hold/vb water/nn ./.
namespace catena::examples {

struct TaggedSentence {
  std::vector<std::string> words;
  std::vector<std::string> tags;  // one for each word
};

// The tag is what follows the last slash. Throws ValueError, with the column,
// for a word without a tag.
TaggedSentence parse_tagged_sentence(std::string_view line);

// The sentences of a file, or of the files ca01 to cr09 in a folder; empty
// lines are skipped. Throws IoError, with file and line, when a file cannot be
// read or is malformed, or when there are no sentences.
std::vector<TaggedSentence> read_tagged_sentences(const std::string& path);

}  // namespace catena::examples
