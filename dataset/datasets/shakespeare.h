#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catena/dataset/datasets/words.h"

namespace catena::datasets {

// What a character says at a time; lines are separated by LF.
struct Speech {
  std::string speaker;
  std::string text;
};

// 7,097 speeches, 1.1 MB, of plays by William Shakespeare, in their order. They
// ship with catena (dataset/data/README.md). Throws IoError when the file is
// not found or damaged.
std::vector<Speech> get_shakespeare_speeches();

// The same plays as they are in the file: 1,115,394 characters, of 65 kinds. A
// speaker's line, his speech and an empty line follow each other. Throws as
// get_shakespeare_speeches does.
std::string get_shakespeare_text();

struct GetShakespeareWordsOptions {
  NamedFieldsOnly keywords = {};
  // Rarer words of the training set are <unk>, as are words of the other sets
  // that are not in it.
  int64_t min_count = 3;
};

// The words of the speeches: for training, of 18 out of 20 speeches (247,931
// words), for validation and testing of one out of 20 each. A speech starts
// with its speaker, "ROMEO:"; words are in lower case, punctuation marks are
// words, and <eos> ends each line. Throws ValueError when min_count < 1;
// otherwise as get_shakespeare_speeches.
WordSets get_shakespeare_words(const GetShakespeareWordsOptions& options = {});

// The distinct training words and <unk>, numbered by first appearance: 4,842.
// Throws as get_shakespeare_words does.
Vocabulary get_shakespeare_words_vocabulary(
    const GetShakespeareWordsOptions& options = {});

// The words of a text: runs of letters, with apostrophes between them, in lower
// case; any other character that is not white space is a word. No line ends.
std::vector<std::string> split_words(const std::string& text);

}  // namespace catena::datasets
