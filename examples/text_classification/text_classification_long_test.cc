// Trains every model with its default settings, and compares them with
// multinomial naive Bayes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "catena/examples/text_classification/texts.h"
#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;

// The accuracy of naive Bayes with a pseudo-count of `alpha` for every word.
double naive_bayes(const TextSets& sets, double alpha) {
  std::map<std::string, std::map<std::string, double>> counts;
  std::map<std::string, double> texts, totals;
  std::set<std::string> words;
  for (const auto& [label, text] : sets.train) {
    ++texts[label];
    for (const std::string& word : split_text(text, false)) {
      ++counts[label][word];
      ++totals[label];
      words.insert(word);
    }
  }
  double correct = 0;
  for (const auto& [label, text] : sets.test) {
    std::map<std::string, double> scores;
    for (const auto& [name, count] : texts) {
      scores[name] = std::log(count);
      for (const std::string& word : split_text(text, false)) {
        if (!words.contains(word)) continue;
        const auto found = counts[name].find(word);
        const double n = found == counts[name].end() ? 0 : found->second;
        scores[name] +=
            std::log((n + alpha) / (totals[name] + alpha * words.size()));
      }
    }
    const auto best = std::max_element(
        scores.begin(), scores.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    correct += best->first == label;
  }
  return correct / sets.test.size();
}

// The accuracy after the last epoch, not the best one, on the test set.
double accuracy(const std::string& model) {
  const TempFolder folder;
  const std::string out = folder.file("result");
  const Program program("examples/text_classification/train_text_classifier",
                        {"--model=" + model, "--out=" + out}, folder);
  EXPECT_EQ(program.wait(), 0) << program.err();
  const auto log = nlohmann::json::parse(read_file(out + "/log"));
  return log.back()["validation/main/accuracy"];
}

TEST(TextClassificationLongTest, TheBestModelBeatsNaiveBayes) {
  const TextSets sets = load_texts("shakespeare", "");
  double bayes = 0;
  for (const double alpha : {1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01}) {
    bayes = std::max(bayes, naive_bayes(sets, alpha));
  }
  const double cnn = accuracy("cnn");
  const double rnn = accuracy("rnn");
  const double bow = accuracy("bow");
  std::cout << "naive Bayes " << bayes << ", CNN " << cnn << ", RNN " << rnn
            << ", BoW " << bow << "\n";
  EXPECT_GT(std::max({cnn, rnn, bow}), bayes);
}

}  // namespace
}  // namespace catena::examples
