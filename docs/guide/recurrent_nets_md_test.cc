// The code of recurrent_nets.md: compiled, run, and compared with the page.

#include "catena/docs/guide/recurrent_nets_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

class RNN : public Chain<RNN> {
 public:
  explicit RNN(int64_t words)
      : embed(this, "embed", words, 8),
        mid(this, "mid", 8, 16),
        out(this, "out", 16, words) {}

  // Scores of all words as the next one, (N, words), after one more word (N,).
  Variable forward(const Variable& word) { return out(mid(embed(word))); }

  void reset_state() { mid->reset_state(); }

 private:
  Child<L::EmbedID> embed;  // a vector for each word
  Child<L::LSTM> mid;
  Child<L::Linear> out;
};

Variable compute_loss(L::Classifier<RNN>& model,
                      const std::vector<Variable>& words) {
  Variable loss = xp::array(0.0f);
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    loss += model(words[i], words[i + 1]);
  }
  return loss;
}

TEST(RecurrentNetsPageTest, ALayerHasAState) {
  L::LSTM lstm(100, 50);  // inputs of 100 numbers, a state of 50
  lstm.reset_state();
  const Variable x1 = xp::random::normal(0, 1, {10, 100}, Dtype::kFloat32);
  const Variable x2 = xp::random::normal(0, 1, {10, 100}, Dtype::kFloat32);
  const Variable h1 = lstm(x1);  // (10, 50)
  const Variable h2 = lstm(x2);  // depends on x1, too
  EXPECT_EQ(h1.shape(), (Shape{10, 50}));
  lstm.reset_state();
  EXPECT_THAT(lstm(x2).array(), Not(IsArray(h2.array())));
  lstm.reset_state();
  EXPECT_THAT(lstm(x1).array(), IsArray(h1.array()));
}

TEST(RecurrentNetsPageTest, LearnsALanguageWithMemory) {
  xp::random::seed(0);
  std::vector<Variable> words;
  for (int i = 0; i < 5; ++i) {
    for (const int word : {0, 1, 2, 0, 1, 3}) {
      words.push_back(xp::array({word}, Dtype::kInt32));
    }
  }

  L::Classifier model(RNN(4));
  optimizers::Adam optimizer({.alpha = 0.01});
  optimizer.setup(model);
  for (int i = 0; i < 200; ++i) {
    model.predictor->reset_state();
    const Variable loss = compute_loss(model, words);
    model.cleargrads();
    loss.backward();
    optimizer.update();
  }
  model.predictor->reset_state();
  const Variable loss = compute_loss(model, words);
  EXPECT_LT(loss.item<float>() / 29, 0.01);

  // Without a reset, the graph of the last sequence is part of the next.
  const Variable longer = compute_loss(model, words);
  EXPECT_GT(longer.rank(), loss.rank());

  model.predictor->reset_state();
  const int64_t steps = optimizer.t();
  optimizer.update([&] { return compute_loss(model, words); });
  EXPECT_EQ(optimizer.t(), steps + 1);

  ::testing::internal::CaptureStdout();
  const auto no_graph = no_backprop_mode();
  const auto test_mode = using_config(&Config::train, false);
  model.predictor->reset_state();
  Array word = xp::array({0}, Dtype::kInt32);
  for (int i = 0; i < 12; ++i) {
    std::cout << word.item<int>() << ' ';
    word = xp::argmax((*model.predictor)(word).array(), 1);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "0 1 2 0 1 3 0 1 2 0 1 3 ");
}

TEST(RecurrentNetsPageTest, SequencesMayHaveDifferentLengths) {
  L::Classifier model(RNN(4));
  ::testing::internal::CaptureStdout();
  const std::vector<Variable> sequences = {
      xp::array({0, 1, 2, 0, 1}, Dtype::kInt32),
      xp::array({2, 0, 1}, Dtype::kInt32), xp::array({3}, Dtype::kInt32)};
  model.predictor->reset_state();
  for (const Variable& step : F::transpose_sequence(sequences)) {
    const Variable scores = (*model.predictor)(step);
    std::cout << scores.shape() << ' ';
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "(3, 4) (2, 4) (2, 4) (1, 4) (1, 4) ");
}

TEST(RecurrentNetsPageTest, TheTrapsAreReal) {
  const Array one = xp::array({1}, Dtype::kInt32);
  L::Classifier model(RNN(4));
  model(one, one);
  EXPECT_THAT(
      [&] {
        (*model.predictor)(xp::array({1, 2}, Dtype::kInt32));
      },
      ThrowsMessage<ValueError>(
          HasSubstr("call reset_state() before a new sequence")));

  RNN rnn(4);
  L::Classifier copied(rnn);
  copied(one, one);
  const Array after_two = (*copied.predictor)(one).array();
  copied.predictor->reset_state();
  copied(one, one);
  rnn.reset_state();
  EXPECT_THAT((*copied.predictor)(one).array(), IsArray(after_two));

  Variable nothing;
  EXPECT_THROW(nothing += Variable(xp::array(1.0f)), ValueError);
}

TEST(RecurrentNetsPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/recurrent_nets.md",
                                       "docs/guide/recurrent_nets_md_test.cc",
                                       8);
}

}  // namespace
