// The code of fine_tuning.md: compiled, run, and compared with the page.

#include "catena/docs/guide/fine_tuning_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

TEST(FineTuningMdTest, HasTheCodeOfThePage) {
  catena::testing::expect_code_of_page("docs/guide/fine_tuning.md",
                                       "docs/guide/fine_tuning_md_test.cc", 8);
}

// The loss of scores of the next ids.
class LanguageModel : public Chain<LanguageModel> {
 public:
  LanguageModel()
      : gpt(this, "gpt",
            L::Gpt2Options{.vocabulary = 7,
                           .context = 8,
                           .units = 16,
                           .heads = 2,
                           .layers = 2,
                           .dropout = 0}) {}
  Variable forward(const Variable& ids, const Variable& next) {
    const Variable scores = gpt(ids);
    const Variable loss = F::softmax_cross_entropy(
        F::reshape(scores, {next.size(), scores.shape()[2]}),
        F::reshape(next, {next.size()}));
    report({{"loss", loss}}, this);
    return loss;
  }
  Child<L::Gpt2> gpt;
};

TEST(FineTuningMdTest, UpdatesOfLowRankLearnAndAreSaved) {
  const catena::testing::TempFolder folder;
  const std::string file = folder.file("update.npz");
  const std::string out = folder.file("result");
  xp::random::seed(0);
  const Array text = xp::remainder(xp::arange(200), 5).astype(Dtype::kInt32);
  LanguageModel model;
  LanguageModel original = model;
  const datasets::TokenDataset windows(text, 8);
  iterators::SerialIterator iterator(windows, 4);
  iterators::SerialIterator test_iterator(windows, 50,
                                          {.repeat = false, .shuffle = false});
  const double before =
      extensions::Evaluator(test_iterator, model)()["main/loss"].as_double();

  L::add_lora(
      model,
      {.rank = 4, .alpha = 8, .names = {"qkv", "out", "layer1", "layer2"}});
  optimizers::AdamW optimizer({.lr = 1e-2});
  optimizer.setup(model);

  training::StandardUpdater updater(iterator, optimizer, {.accumulate = 4});
  training::Trainer trainer(updater, {3, "epoch"}, {.out = out});
  auto& average =
      trainer.extend(extensions::ParameterAverage(model, {.decay = 0.9}));
  trainer.extend(extensions::evaluate_average(
      extensions::Evaluator(test_iterator, model), average));
  trainer.extend(extensions::snapshot_average(average, "average.npz"));
  trainer.run();
  const double found =
      trainer.observation()["validation_average/main/loss"].as_double();
  EXPECT_LT(found, before - 0.1);
  EXPECT_TRUE(model.gpt->tokens->is_frozen());

  L::LoraParameters update(model);
  serializers::save_npz(file, update);

  L::add_lora(original,
              {.rank = 4, .names = {"qkv", "out", "layer1", "layer2"}});
  L::LoraParameters loaded(original);
  serializers::load_npz(file, loaded);
  L::merge_lora(original);  // a call takes no more time than without
  const Variable ids = as_variable(text[{newaxis, Slice(0, 8)}]);
  EXPECT_THAT(original.gpt(ids).data(),
              catena::testing::IsClose(model.gpt(ids).data()));
}

TEST(FineTuningMdTest, LossesAndPartsNeedLessMemory) {
  const Variable h(xp::random::normal(0, 1, {2, 16, 8}, Dtype::kFloat32));
  const Variable W(xp::random::normal(0, 1, {1000, 8}, Dtype::kFloat32));
  const Array next = xp::random::randint(0, 1000, {2, 16}, Dtype::kInt32);
  const Variable loss =
      F::linear_cross_entropy(h, W, next, {.label_smoothing = 0.1});
  loss.backward();
  EXPECT_EQ(W.grad().shape(), W.shape());

  L::Linear layer(8, 8);
  const Variable x(xp::random::normal(0, 1, {4, 8}, Dtype::kFloat32));
  const auto part = [&](const Variable& x) {
    return F::dropout(F::gelu(layer(x)), 0.1);
  };
  const Variable y = F::forget(part, x);
  y.set_grad(xp::ones_like(y.data()));
  y.backward();
  EXPECT_TRUE(layer.W.grad().defined());
}

TEST(FineTuningMdTest, MuonLeavesEmbeddingsToAdamW) {
  L::Gpt2 fresh({.vocabulary = 7,
                 .context = 8,
                 .units = 16,
                 .heads = 2,
                 .layers = 1,
                 .dropout = 0});
  optimizers::Muon muon({.lr = 0.02, .adamw_lr = 3e-4});
  muon.setup(fresh);
  muon.use_adamw(*fresh.tokens);
  muon.use_adamw(*fresh.positions);
  fresh.zerograds();
  muon.update();
  EXPECT_EQ(update_rule_of(fresh.tokens->W).state().size(), 2u);
}

}  // namespace
