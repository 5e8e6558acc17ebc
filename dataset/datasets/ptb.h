#pragma once

#include <string>
#include <vector>

#include "catena/array/io/load_limits.h"
#include "catena/dataset/datasets/words.h"

namespace catena::datasets {

struct GetPtbOptions {
  NamedFieldsOnly keywords = {};
  // The folder of ptb.train.txt, ptb.valid.txt and ptb.test.txt. Without one,
  // they are downloaded once and kept below dataset::get_dataset_root().
  std::string data_dir = {};
  LoadLimits limits = {};
};

// The Penn Treebank's words, as prepared by T. Mikolov: 929,589 for training,
// 73,760 for validation and 82,430 for testing, with the word <eos> at the end
// of each line. Throws IoError when a file is missing or damaged, cannot be
// downloaded, or has a word that is not in the training words.
WordSets get_ptb_words(const GetPtbOptions& options = {});

// The 10,000 distinct training words, numbered by first appearance. Throws
// IoError as get_ptb_words does.
Vocabulary get_ptb_words_vocabulary(const GetPtbOptions& options = {});

// The blank-separated words of any text file, in order, with <eos> at the end
// of each line. Throws IoError when it cannot be read.
std::vector<std::string> read_words(const std::string& path,
                                    const LoadLimits& limits = {});

}  // namespace catena::datasets
