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

// Multinomial naive Bayes with a pseudo-count of `alpha` for every word.
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

// The pseudo-count that is right most often on held-out fifths of the training
// set.
double best_smoothing(const TextSets& sets) {
  double best = 0, best_accuracy = 0;
  for (const double alpha : {1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01}) {
    double accuracy = 0;
    for (size_t fold = 0; fold < 5; ++fold) {
      TextSets parts;
      for (size_t i = 0; i < sets.train.size(); ++i) {
        (i % 5 == fold ? parts.test : parts.train).push_back(sets.train[i]);
      }
      accuracy += naive_bayes(parts, alpha).accuracy / 5;
    }
    if (accuracy > best_accuracy) best = alpha, best_accuracy = accuracy;
  }
  return best;
}

std::ostream& operator<<(std::ostream& out, const Scores& scores) {
  return out << scores.accuracy << ", loss " << scores.loss << std::endl;
}

// After the last epoch, not the best one.
Scores train(const std::string& model, int seed) {
  const TempFolder folder;
  const std::string out = folder.file("result");
  const Program program(
      "examples/text_classification/train_text_classifier",
      {"--model=" + model, "--seed=" + std::to_string(seed), "--out=" + out},
      folder);
  EXPECT_EQ(program.wait(), 0) << program.err();
  const auto log = nlohmann::json::parse(read_file(out + "/log"));
  const Scores scores{.accuracy = log.back()["validation/main/accuracy"],
                      .loss = log.back()["validation/main/loss"]};
  std::cout << model << ", seed " << seed << ": " << scores;
  return scores;
}

// With 1,229 texts to learn from, a well smoothed naive Bayes is as accurate as
// the CNN, but it is far too sure of itself.
TEST(TextClassificationLongTest, ModelsCompareWithNaiveBayes) {
  const TextSets sets = load_texts("shakespeare", "");
  const Scores add_one = naive_bayes(sets, 1);
  const double alpha = best_smoothing(sets);
  const Scores smoothed = naive_bayes(sets, alpha);
  std::cout << "naive Bayes, add one: " << add_one << "naive Bayes, add "
            << alpha << ": " << smoothed;
  for (const int seed : {0, 1}) {
    const Scores cnn = train("cnn", seed);
    EXPECT_GT(cnn.accuracy, add_one.accuracy + 0.02);
    EXPECT_GT(cnn.accuracy, smoothed.accuracy - 0.05);
    EXPECT_LT(cnn.loss, smoothed.loss - 0.3);
  }
  const Scores bow = train("bow", 0);
  EXPECT_GT(bow.accuracy, add_one.accuracy);
  EXPECT_LT(bow.loss, smoothed.loss - 0.3);
  EXPECT_GT(train("rnn", 0).accuracy, 0.25);  // guessing finds 0.15
}

}  // namespace
}  // namespace catena::examples
