#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dataset/datasets/words.h"

// Labelled texts, for train_text_classifier and run_text_classifier.
namespace catena::examples {

struct LabelledText {
  std::string label;
  std::string text;
};

struct TextSets {
  std::vector<LabelledText> train;
  std::vector<LabelledText> test;
};

// "shakespeare", which ships with catena: speeches of the ten characters who
// speak most often, labelled with their names; every fifth is for testing.
//
// Any other dataset is read from files in `data_dir`:
//   dbpedia                   train.csv, test.csv: "label","title","text"
//   imdb.binary, imdb.fine    train/pos/200_8.txt, test/neg/0_2.txt, ...: the
//                             label is pos or neg; fine, of 8 stars, "7-8"
//   TREC                      train_5500.label, TREC_10.label: of DESC:manner,
//                             the label is DESC; or TREC.train.all,
//                             TREC.test.all, with a label and a text per line
//   stsa.binary, stsa.fine    stsa.binary.train, stsa.binary.test, ...
//   custrev, mpqa, rt-polarity, subj
//                             custrev.all, ...: a random tenth is for testing
//
// Throws ValueError when there is no such dataset, or for a data_dir that
// nothing reads; IoError when files are missing, with the address of the data,
// or malformed.
TextSets load_texts(const std::string& dataset, const std::string& data_dir);

// The distinct labels of both sets, sorted.
std::vector<std::string> labels_of(const TextSets& sets);

// The words of a text, in lower case (ASCII): runs of letters, digits and
// apostrophes between them; other characters that are not white space are words
// of their own. With char_based, its characters instead; white space is one
// blank. Text that is not UTF-8 counts as Latin-1.
std::vector<std::string> split_text(std::string_view text, bool char_based);

inline constexpr int32_t kEnd = 0;      // <eos>
inline constexpr int32_t kUnknown = 1;  // <unk>

struct VocabularyOptions {
  size_t max_size = 20'000;  // words, with <eos> and <unk>
  int64_t min_count = 2;     // rarer words are <unk>
};

// <eos>, <unk> and the words, the most frequent ones first; those of the same
// frequency are in alphabetical order.
datasets::Vocabulary make_vocabulary(
    const std::vector<std::vector<std::string>>& texts,
    const VocabularyOptions& options = {});

// The ids of the words, and kEnd.
std::vector<int32_t> to_ids(const std::vector<std::string>& words,
                            const datasets::Vocabulary& vocabulary);

}  // namespace catena::examples
