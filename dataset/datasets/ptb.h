#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

namespace catena::datasets {

struct GetPtbOptions {
  // The folder of ptb.train.txt, ptb.valid.txt and ptb.test.txt. Without one,
  // they are downloaded once and kept below dataset::get_dataset_root().
  std::string data_dir = {};
  LoadLimits limits = {};
};

// Words and their numbers.
using Vocabulary = std::map<std::string, int32_t, std::less<>>;

// The Penn Treebank's words, as T. Mikolov prepared them: 929,589 to train,
// 73,760 to validate and 82,430 to test, each line's end being the word <eos>.
// 1-d arrays of int32 numbers from the vocabulary.
struct PtbWords {
  Array train;
  Array valid;
  Array test;
};
// IoError when a file is missing or damaged, cannot be downloaded, or has a
// word that those to train lack.
PtbWords get_ptb_words(const GetPtbOptions& options = {});

// The 10,000 words to train, numbered in the order of their first appearance.
// IoError.
Vocabulary get_ptb_words_vocabulary(const GetPtbOptions& options = {});

// The words of any text file, between blanks, in order, with <eos> at the end
// of each line. IoError.
std::vector<std::string> read_words(const std::string& path,
                                    const LoadLimits& limits = {});

}  // namespace catena::datasets
