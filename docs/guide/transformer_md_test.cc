// The code of transformer.md: compiled, run, and compared with the page.

#include "catena/docs/guide/transformer_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

TEST(TransformerMdTest, HasTheCodeOfThePage) {
  catena::testing::expect_code_of_page("docs/guide/transformer.md",
                                       "docs/guide/transformer_md_test.cc", 10);
}

TEST(TransformerMdTest, AttentionIsItsFormula) {
  xp::random::seed(0);
  const Variable q(xp::random::normal(0, 1, {5, 8}, Dtype::kFloat32));
  const Variable k(xp::random::normal(0, 1, {5, 8}, Dtype::kFloat32));
  const Variable v(xp::random::normal(0, 1, {5, 8}, Dtype::kFloat32));
  const Variable scores =
      F::matmul(q, k, {.transb = true}) * (1 / std::sqrt(8.0));
  const Array behind =
      xp::triu(xp::full({5, 5}, -INFINITY, Dtype::kFloat32), 1);
  const Variable y = F::matmul(F::softmax(scores + behind, {.axis = 1}), v);
  const auto head = [](const Variable& x) {
    return F::reshape(x, {1, 1, 5, 8});
  };
  const Variable same =
      F::attention(head(q), head(k), head(v), {.causal = true});
  EXPECT_THAT(same.data().reshape(5, 8),
              catena::testing::IsClose(y.data(), {.rtol = 1e-5, .atol = 1e-6}));
}

TEST(TransformerMdTest, BlocksKeepTheShape) {
  L::MultiHeadAttention attention(32, 4, {.causal = true});
  const Variable x(xp::random::normal(0, 1, {2, 5, 32}, Dtype::kFloat32));
  const Variable mixed = attention(x);  // (2, 5, 32), as x
  EXPECT_EQ(mixed.shape(), x.shape());
  L::TransformerBlock block(32, 4, {.attention = {.causal = true}});
  const Variable further = block(x);  // (2, 5, 32)
  EXPECT_EQ(further.shape(), x.shape());
}

class SmallGpt : public Chain<SmallGpt> {
 public:
  SmallGpt(int64_t vocabulary, int64_t context, int64_t units, int64_t heads,
           int64_t layers)
      : tokens(this, "tokens", vocabulary, units, small()),
        positions(this, "positions", context, units, small()),
        blocks(this, "blocks"),
        norm(this, "norm", units) {
    for (int64_t i = 0; i < layers; ++i) {
      blocks->append(
          L::TransformerBlock(units, heads, {.attention = {.causal = true}}));
    }
  }

  // The scores of the next characters, (B, T, vocabulary), of ids (B, T).
  Variable forward(const Variable& ids) {
    const int64_t length = ids.shape()[1];
    Variable h = tokens(ids) + F::get_item(positions->W, {Slice(0, length)});
    for (int64_t i = 0; i < blocks->size(); ++i) {
      h = blocks->at<L::TransformerBlock>(i)(h);
    }
    return F::linear((*norm)(h, {.n_batch_axes = 2}), tokens->W, {},
                     {.n_batch_axes = 2});
  }

 private:
  // Scores are products with this table: they must not be large at first.
  static L::EmbedIDOptions small() {
    return {.initialW = initializers::Normal(0.02)};
  }

  Child<L::EmbedID> tokens, positions;
  Child<ChainList> blocks;
  Child<L::LayerNormalization> norm;
};

TEST(TransformerMdTest, ASmallGptLearnsToWrite) {
  const catena::testing::TempFolder folder;
  const std::string out = folder.path();
  const int64_t steps = 200;
  xp::random::seed(0);
  const std::string text = datasets::get_shakespeare_text();
  const std::set<char> distinct(text.begin(), text.end());
  const std::string alphabet(distinct.begin(), distinct.end());
  std::vector<int32_t> ids;
  for (const char c : text)
    ids.push_back(static_cast<int32_t>(alphabet.find(c)));
  const datasets::TokenDataset windows(xp::array(ids), 32);
  iterators::SerialIterator iterator(windows, 16);
  SmallGpt gpt(std::ssize(alphabet), 32, 64, 4, 2);
  L::Classifier model(
      gpt, {.lossfun =
                [](const Variable& scores, const Variable& next) {
                  return F::softmax_cross_entropy(
                      F::reshape(scores, {next.size(), scores.shape()[2]}),
                      F::reshape(next, {next.size()}));
                },
            .compute_accuracy = false});
  optimizers::AdamW optimizer({.lr = 3e-3, .weight_decay = 0.1});
  optimizer.setup(model);
  optimizer.add_hook(optimizers::GradientClipping(1.0));
  training::StandardUpdater updater(iterator, optimizer);
  training::Trainer trainer(updater, {steps, "iteration"}, {.out = out});
  trainer.extend(extensions::CosineShift(
                     "lr", steps, {.target = 3e-4, .warmup_iter = steps / 10}),
                 {.trigger = {1, "iteration"}});
  trainer.extend(extensions::LogReport({.trigger = {steps / 4, "iteration"}}));
  trainer.run();
  const double loss = trainer.observation()["main/loss"].as_double();
  EXPECT_LT(loss, 2.7);
  const auto write = [&](std::string text, int64_t count, double temperature) {
    const auto test_mode = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    for (int64_t i = 0; i < count; ++i) {
      std::vector<int32_t> seen;  // the last ones, as many as fit
      for (const char c :
           text.substr(text.size() - std::min<size_t>(text.size(), 32))) {
        seen.push_back(static_cast<int32_t>(alphabet.find(c)));
      }
      const Variable scores =
          (*model.predictor)(as_variable(xp::array(seen).reshape(1, -1)));
      const Array u =
          xp::random::uniform(1e-9, 1, {std::ssize(alphabet)}, Dtype::kFloat32);
      const Array next =
          scores.data()[{0, -1}] / temperature - xp::log(-xp::log(u));
      text += alphabet[xp::argmax(next).item<int64_t>()];
    }
    return text;
  };
  const std::string written = write("ROMEO:\n", 100, 0.8);
  EXPECT_EQ(written.size(), 107u);
  EXPECT_EQ(written.substr(0, 7), "ROMEO:\n");
  // At a temperature near 0, no noise matters.
  EXPECT_EQ(write("To", 10, 1e-6), write("To", 10, 1e-6));
}

}  // namespace
