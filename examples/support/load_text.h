#pragma once

#include <string>
#include <vector>

#include "catena/dataset/datasets/words.h"

namespace catena::examples {

// A text for training, validation and testing, as ids of words.
struct Text {
  datasets::WordSets ids;
  std::vector<std::string> words;  // by id
};

// "shakespeare", which ships with catena, or "ptb", downloaded once or read
// from the files in `data_dir`. Throws ValueError for any other dataset, or for
// a data_dir that nothing reads; IoError as the functions of datasets.
Text load_text(const std::string& dataset, const std::string& data_dir);

// For quick tests: only the first 100 words of each part. The vocabulary is
// unchanged.
Text first_words(const Text& text);

}  // namespace catena::examples
