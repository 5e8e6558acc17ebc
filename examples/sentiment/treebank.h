#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dataset/datasets/ptb.h"
#include "catena/dataset/example.h"

// Sentences as trees of phrases, in the format of the Stanford Sentiment
// Treebank (R. Socher et al., 2013): one tree per line, each of its nodes
// "(label word)" or "(label node node)".
//
//   (3 (2 (2 the) (2 film)) (3 (2 is) (3 (2 not) (1 bad))))
namespace catena::examples {

using datasets::Vocabulary;

// The nodes of a tree, children before parents, so that the root is last. Node
// i is the word words[i], or has words[i] == -1 and two children, left[i] and
// right[i].
struct Tree {
  std::vector<int32_t> words;
  std::vector<int32_t> left;   // -1 for words
  std::vector<int32_t> right;  // -1 for words
  std::vector<int32_t> labels;
  std::string text;  // the words, separated by blanks
};

// Parses a tree of any depth with labels below n_label. New words join the
// vocabulary, numbered by first appearance. Throws ValueError, with the column,
// the expectation and what is there instead, for anything but one whole tree.
Tree parse_tree(std::string_view line, int64_t n_label, Vocabulary& vocabulary);

// The trees of a file, at most `limit`; empty lines are skipped. Throws
// IoError, with file and line, when it cannot be read, is malformed or has no
// trees.
std::vector<Tree> read_trees(
    const std::string& path, int64_t n_label, Vocabulary& vocabulary,
    int64_t limit = std::numeric_limits<int64_t>::max());

// The trees as examples of a dataset, with the fields words, left, right and
// labels.
std::vector<dataset::Example> tree_examples(const std::vector<Tree>& trees);

struct Treebank {
  std::vector<Tree> train, dev, test;
  Vocabulary vocabulary;  // of all three
};

// The trees of train.txt, dev.txt and test.txt in a folder, or made-up reviews
// (reviews.h) if data_dir is empty; at most `limit` of each. Throws IoError
// when a file is missing or malformed, ValueError when n_label is too small for
// the reviews.
Treebank load_treebank(const std::string& data_dir, int64_t n_label,
                       int64_t limit = std::numeric_limits<int64_t>::max());

}  // namespace catena::examples
