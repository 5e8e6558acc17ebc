// The code of truncated_bptt.md: compiled, run, and compared with the page.

#include "catena/docs/guide/truncated_bptt_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;

// That of recurrent_nets.md.
class RNN : public Chain<RNN> {
 public:
  explicit RNN(int64_t words)
      : embed(this, "embed", words, 8),
        mid(this, "mid", 8, 16),
        out(this, "out", 16, words) {}

  Variable forward(const Variable& word) { return out(mid(embed(word))); }

  void reset_state() { mid->reset_state(); }

  Child<L::EmbedID> embed;
  Child<L::LSTM> mid;
  Child<L::Linear> out;
};

TEST(TruncatedBpttPageTest, LearnsFromAnEndlessText) {
  xp::random::seed(0);
  std::vector<Variable> words;
  for (int i = 0; i < 1000; ++i) {
    for (const int word : {0, 1, 2, 0, 1, 3}) {
      words.push_back(xp::array({word}, Dtype::kInt32));
    }
  }
  L::Classifier model(RNN(4));
  optimizers::Adam optimizer({.alpha = 0.01});
  optimizer.setup(model);

  model.predictor->reset_state();
  Variable loss = xp::array(0.0f);
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    loss += model(words[i], words[i + 1]);
    if ((i + 1) % 30 == 0 || i + 2 == words.size()) {
      model.cleargrads();
      loss.backward();
      loss.unchain_backward();
      optimizer.update();
      loss = xp::array(0.0f);
    }
  }
  EXPECT_EQ(optimizer.t(), 200);
  loss = xp::array(0.0f);
  for (size_t i = 0; i < 60; ++i) {
    const Variable next = model(words[i], words[i + 1]);
    if (i >= 30) loss += next;
  }
  EXPECT_LT(loss.item<float>() / 30, 0.02);
}

TEST(TruncatedBpttPageTest, UnchainingKeepsTheState) {
  std::vector<Variable> words;
  for (const int word : {0, 1, 2, 3, 0}) {
    words.push_back(xp::array({word}, Dtype::kInt32));
  }
  L::Classifier model(RNN(4));

  ::testing::internal::CaptureStdout();
  const auto graph_size = [](const Variable& y) {
    return build_computational_graph({y}).nodes().size();
  };
  model.predictor->reset_state();
  std::cout << graph_size(model(words[0], words[1])) << ' ';
  std::cout << graph_size(model(words[1], words[2])) << ' ';
  const Variable y = model(words[2], words[3]);
  std::cout << graph_size(y) << ' ';
  y.unchain_backward();
  std::cout << graph_size(model(words[3], words[4])) << '\n';
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "18 31 43 24\n");

  model.predictor->reset_state();
  L::Classifier uncut = copy(model);
  model(words[0], words[1]).unchain_backward();
  uncut(words[0], words[1]);
  EXPECT_EQ(model.predictor->mid->h.creator_node(), nullptr);
  EXPECT_THAT(model.predictor->mid->h.array(),
              IsArray(uncut.predictor->mid->h.array()));
  EXPECT_THAT(model(words[1], words[2]).array(),
              IsArray(uncut(words[1], words[2]).array()));
}

TEST(TruncatedBpttPageTest, UnchainingTooEarlyLeavesNoGradients) {
  const Array word = xp::array({1}, Dtype::kInt32);
  L::Classifier model(RNN(4));
  const Variable loss = model(word, word);
  loss.unchain_backward();
  loss.backward();
  for (const Parameter& parameter : model.params()) {
    EXPECT_FALSE(parameter.grad().defined());
  }
}

TEST(TruncatedBpttPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/truncated_bptt.md",
                                       "docs/guide/truncated_bptt_md_test.cc",
                                       4);
}

}  // namespace
