// Finds the words with the most similar vectors, by the cosine of the angle
// between them.
//
//   Data:   word2vec.model from train_word2vec, or any vectors in word2vec's
//           text format.
//   Run:    ./bazelw run //examples/word2vec:search
//           and then a word on each line; or with words as arguments:
//           ./bazelw run //examples/word2vec:search -- king sword
//   Expect: for "king", its five nearest words, each after the cosine:
//               query: king
//               0.765 henry
//               0.666 edward

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/support/flags.h"

using absl::GetFlag;
using namespace catena;
namespace xp = catena::array;

ABSL_FLAG(std::string, model, "result/word2vec.model", "file of vectors");
ABSL_FLAG(examples::AtLeast<1>, n_result, {5}, "words to print");

namespace {

struct Vectors {
  std::vector<std::string> words;
  Array w;  // (words, units), of length 1
};

Vectors read_vectors(const std::string& path) {
  std::ifstream in(path);
  if (!in) raise<IoError>("cannot read ", path);
  int64_t n_vocab = 0;
  int64_t n_units = 0;
  in >> n_vocab >> n_units;
  std::vector<std::string> words;
  std::vector<float> numbers;
  for (std::string word; in >> word;) {
    words.push_back(word);
    float number = 0;
    for (int64_t i = 0; i < n_units && in >> number; ++i) {
      numbers.push_back(number);
    }
  }
  if (std::ssize(words) != n_vocab || n_units < 1 ||
      std::ssize(numbers) != n_vocab * n_units) {
    raise<IoError>(path, ": expected the numbers of words and units, and then ",
                   "so many words, each with so many numbers");
  }
  const Array w = xp::array(numbers, Shape{n_vocab, n_units});
  const Array norm = xp::linalg::norm(w, {.axis = 1, .keepdims = true});
  return {.words = words, .w = w / xp::maximum(norm, 1e-10)};
}

void search(const Vectors& vectors, const std::string& query) {
  const auto& [words, w] = vectors;
  const auto found = std::find(words.begin(), words.end(), query);
  if (found == words.end()) {
    std::cout << "\"" << query << "\" is not found\n";
    return;
  }
  std::cout << "query: " << query << "\n";
  const int64_t id = found - words.begin();
  const Array similarity = xp::dot(w, w[id]);
  similarity[id] = -2;  // not the word itself
  const Array order = xp::argsort(-similarity);
  const int64_t count =
      std::min<int64_t>(GetFlag(FLAGS_n_result), std::ssize(words) - 1);
  for (const Array& near : order[{Slice(0, count)}]) {
    const auto i = near.item<int64_t>();
    std::cout << similarity[i].item<float>() << " " << words[i] << "\n";
  }
}

void run(const std::vector<std::string>& queries) {
  std::cout << std::fixed << std::setprecision(3);
  const Vectors vectors = read_vectors(GetFlag(FLAGS_model));
  for (const std::string& query : queries) search(vectors, query);
  if (!queries.empty()) return;
  std::cout << ">> " << std::flush;
  for (std::string query; std::cin >> query;) {
    search(vectors, query);
    std::cout << ">> " << std::flush;
  }
  std::cout << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(argc, argv, "Finds words of similar meaning.",
                               run);
}
