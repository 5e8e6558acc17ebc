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

// On the test set.
struct Scores {
  double accuracy;
  double loss;  // cross entropy
};

// Naive Bayes with a pseudo-count of `alpha` for every word.
Scores naive_bayes(const TextSets& sets, double alpha) {
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
  double correct = 0, loss = 0;
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
    double sum = 0;
    for (const auto& [name, score] : scores) {
      sum += std::exp(score - best->second);
    }
    loss += best->second + std::log(sum) - scores[label];
  }
  const auto n = static_cast<double>(sets.test.size());
  return {.accuracy = correct / n, .loss = loss / n};
}

// After the last epoch, not the best one.
Scores train(const std::string& model) {
  const TempFolder folder;
  const std::string out = folder.file("result");
  const Program program("examples/text_classification/train_text_classifier",
                        {"--model=" + model, "--out=" + out}, folder);
  EXPECT_EQ(program.wait(), 0) << program.err();
  const auto log = nlohmann::json::parse(read_file(out + "/log"));
  const Scores scores{.accuracy = log.back()["validation/main/accuracy"],
                      .loss = log.back()["validation/main/loss"]};
  std::cout << model << ": " << scores.accuracy << ", loss " << scores.loss
            << std::endl;
  return scores;
}

// With 1,229 texts to learn from, naive Bayes is hard to beat in accuracy, but
// it is far too sure of itself.
TEST(TextClassificationLongTest, ModelsCompareWithNaiveBayes) {
  const TextSets sets = load_texts("shakespeare", "");
  double accuracy = 0, loss = 100;
  for (const double alpha : {1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01}) {
    const Scores bayes = naive_bayes(sets, alpha);
    std::cout << "naive Bayes, " << alpha << ": " << bayes.accuracy << ", loss "
              << bayes.loss << std::endl;
    accuracy = std::max(accuracy, bayes.accuracy);
    loss = std::min(loss, bayes.loss);
  }
  const Scores cnn = train("cnn");
  const Scores bow = train("bow");
  const Scores rnn = train("rnn");
  EXPECT_LT(cnn.loss, loss);
  EXPECT_GT(cnn.accuracy, accuracy - 0.05);
  EXPECT_GT(bow.accuracy, 0.4);
  EXPECT_GT(cnn.accuracy, rnn.accuracy);
}

}  // namespace
}  // namespace catena::examples
