#include "catena/examples/sentiment/treebank.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/line_reader.h"
#include "catena/examples/sentiment/reviews.h"

namespace catena::examples {
namespace {

constexpr std::string_view kUrl =
    "https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip";
constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::string_view kEndsOfWords = " \t\r\v\f()";

// Keeps the open nodes on a stack of its own: a deep tree is no deep recursion.
class TreeParser {
 public:
  TreeParser(std::string_view line, int64_t n_label, Vocabulary& vocabulary)
      : line_(line), n_label_(n_label), vocabulary_(vocabulary) {}

  Tree parse() {
    do {
      read_token();
      if (token_ == "(") {
        open_node();
      } else if (token_ == ")") {
        close_node();
      } else {
        add_word();
      }
    } while (!open_.empty());
    read_token();
    if (!token_.empty()) fail("the end of the line");
    return std::move(tree_);
  }

 private:
  struct Node {
    int32_t label;
    int32_t word = -1;
    int32_t children[2] = {-1, -1};
    int count = 0;  // of words or children
    bool is_whole() const { return word >= 0 || count == 2; }
  };

  void open_node() {
    if (!open_.empty() && open_.back().is_whole()) fail_here();
    read_token();
    int32_t label = -1;
    const char* end = token_.data() + token_.size();
    const auto [stop, code] = std::from_chars(token_.data(), end, label);
    if (code != std::errc() || stop != end || label < 0 || label >= n_label_) {
      fail(str("a label from 0 to ", n_label_ - 1));
    }
    open_.push_back({label});
  }

  void add_word() {
    if (token_.empty() || open_.empty() || open_.back().count > 0) fail_here();
    open_.back().count = 1;
    open_.back().word =
        vocabulary_
            .try_emplace(std::string(token_),
                         static_cast<int32_t>(vocabulary_.size()))
            .first->second;
    if (!tree_.text.empty()) tree_.text += ' ';
    tree_.text += token_;
  }

  void close_node() {
    if (open_.empty() || !open_.back().is_whole()) fail_here();
    const Node node = open_.back();
    open_.pop_back();
    if (!open_.empty()) {
      Node& parent = open_.back();
      parent.children[parent.count++] =
          static_cast<int32_t>(tree_.labels.size());
    }
    tree_.words.push_back(node.word);
    tree_.left.push_back(node.children[0]);
    tree_.right.push_back(node.children[1]);
    tree_.labels.push_back(node.label);
  }

  // A parenthesis, a run of other characters, or nothing at the end.
  void read_token() {
    const size_t from = position_ + token_.size();
    position_ = std::min(line_.find_first_not_of(kBlanks, from), line_.size());
    token_ = line_.substr(position_, 1);
    if (token_.empty() || token_ == "(" || token_ == ")") return;
    const size_t end = line_.find_first_of(kEndsOfWords, position_);
    token_ = line_.substr(position_, end - position_);
  }

  [[noreturn]] void fail_here() const {
    if (open_.empty()) fail("'('");
    if (open_.back().is_whole()) fail("')'");
    fail(open_.back().count == 1 ? "'(' of the second child" : "a word or '('");
  }
  [[noreturn]] void fail(std::string_view expected) const {
    raise<ValueError>(
        "column ", position_ + 1, ": expected ", expected, ", got ",
        token_.empty() ? "the end of the line" : array::quote(token_));
  }

  std::string_view line_;
  int64_t n_label_;
  Vocabulary& vocabulary_;
  size_t position_ = 0;
  std::string_view token_;  // at position_
  std::vector<Node> open_;  // from the root down
  Tree tree_;
};

}  // namespace

Tree parse_tree(std::string_view line, int64_t n_label,
                Vocabulary& vocabulary) {
  return TreeParser(line, n_label, vocabulary).parse();
}

std::vector<Tree> read_trees(const std::string& path, int64_t n_label,
                             Vocabulary& vocabulary, int64_t limit) {
  array::LineReader lines(path, "read_trees");
  std::vector<Tree> trees;
  std::string line;
  while (static_cast<int64_t>(trees.size()) < limit && lines.next(line)) {
    if (line.find_first_not_of(kBlanks) == std::string::npos) continue;
    try {
      trees.push_back(parse_tree(line, n_label, vocabulary));
    } catch (const ValueError& error) {
      raise<IoError>(lines.where(), ": line ", lines.number(), ", ",
                     error.what());
    }
  }
  if (trees.empty()) {
    raise<IoError>(lines.where(), ": expected trees, got none");
  }
  return trees;
}

std::vector<dataset::Example> tree_examples(const std::vector<Tree>& trees) {
  std::vector<dataset::Example> result;
  result.reserve(trees.size());
  for (const Tree& tree : trees) {
    result.push_back({tree.words, tree.left, tree.right, tree.labels});
  }
  return result;
}

Treebank load_treebank(const std::string& data_dir, int64_t n_label,
                       int64_t limit) {
  Treebank bank;
  if (data_dir.empty()) {
    if (n_label < kReviewLabels) {
      raise<ValueError>("--label: expected at least ", kReviewLabels,
                        " for made-up reviews, got ", n_label);
    }
    constexpr int64_t kTrain = 2000, kDev = 500, kTest = 500;
    const std::vector<std::string> reviews =
        make_reviews(kTrain + kDev + kTest, 0);
    const auto parse = [&](int64_t begin, int64_t count) {
      std::vector<Tree> trees;
      for (int64_t i = begin; i < begin + std::min(count, limit); ++i) {
        trees.push_back(parse_tree(reviews[i], n_label, bank.vocabulary));
      }
      return trees;
    };
    bank.train = parse(0, kTrain);
    bank.dev = parse(kTrain, kDev);
    bank.test = parse(kTrain + kDev, kTest);
    return bank;
  }
  const auto read = [&](const char* name) {
    const auto path = std::filesystem::path(data_dir) / name;
    if (std::error_code error; !std::filesystem::exists(path, error)) {
      raise<IoError>(
          "--data_dir: expected train.txt, dev.txt and test.txt in '", data_dir,
          "', found no ", name, "; get them from ", kUrl);
    }
    return read_trees(path.string(), n_label, bank.vocabulary, limit);
  };
  bank.train = read("train.txt");
  bank.dev = read("dev.txt");
  bank.test = read("test.txt");
  return bank;
}

}  // namespace catena::examples
