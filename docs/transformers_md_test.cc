// The code of transformers.md: compiled, run, and compared with the page.

#include "catena/docs/transformers_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::testing::ElementsAreArray;
using ::testing::SizeIs;

TEST(TransformersMdTest, HasTheCodeOfThePage) {
  catena::testing::expect_code_of_page("docs/transformers.md",
                                       "docs/transformers_md_test.cc", 13);
}

TEST(TransformersMdTest, AttentionHasPositions) {
  const Variable q(xp::random::normal(0, 1, {2, 4, 100, 16}, Dtype::kFloat32));
  const Variable k(xp::random::normal(0, 1, {2, 2, 100, 16}, Dtype::kFloat32));
  const Variable v(xp::random::normal(0, 1, {2, 2, 100, 16}, Dtype::kFloat32));
  const Variable y = F::attention(q, k, v, {.causal = true, .window = 32});
  EXPECT_EQ(y.shape(), q.shape());
  const F::RotaryTables tables = F::rotary_tables(xp::arange(100), 16);
  const Variable turned =
      F::attention(F::rotary_embedding(q, tables),
                   F::rotary_embedding(k, tables), v, {.causal = true});
  EXPECT_EQ(turned.shape(), q.shape());
}

TEST(TransformersMdTest, TokenizersEncodeAndDecode) {
  const catena::testing::TempFolder folder;
  const std::string out = folder.path();
  const datasets::Tokenizer tokenizer = datasets::gpt2_tokenizer();
  const std::vector<int32_t> ids = tokenizer.encode("Hello world");
  const std::string text = tokenizer.decode(ids);
  EXPECT_EQ(ids, (std::vector<int32_t>{15496, 995}));
  EXPECT_EQ(text, "Hello world");
  const std::vector<int32_t> plain = tokenizer.encode("<|endoftext|>");
  const std::vector<int32_t> special =
      tokenizer.encode("<|endoftext|>", {.allow_special_tokens = true});
  EXPECT_THAT(plain, SizeIs(7));
  EXPECT_EQ(special, (std::vector<int32_t>{50256}));
  datasets::StreamDecoder decoder(tokenizer);
  std::string written;
  for (const int32_t id : tokenizer.encode("naïve 😀")) {
    written += decoder.add(id);
  }
  written += decoder.finish();
  EXPECT_EQ(written, "naïve 😀");
  const datasets::Tokenizer trained = datasets::train_bpe(
      datasets::get_shakespeare_text(), {.vocabulary = 512});
  datasets::save_tokenizer(out + "/tokenizer.json", trained);
  const datasets::Tokenizer again =
      datasets::read_tokenizer(out + "/tokenizer.json");
  EXPECT_EQ(again.encode("To be"), trained.encode("To be"));
  EXPECT_EQ(again.vocabulary_size(), 512);

  const std::string bin_file = folder.file("train.bin");
  catena::testing::write_file(bin_file, std::string(20, '\1'));
  const datasets::TokenDataset windows(
      datasets::map_tokens(bin_file, {.vocabulary = 50257}), 4);
  EXPECT_EQ(windows.size(), 6);
}

TEST(TransformersMdTest, AModelLearnsATextWritesItAndIsSaved) {
  const catena::testing::TempFolder temporary;
  const std::string& folder = temporary.path();
  const std::string& out = folder;
  xp::random::seed(0);
  const int64_t steps = 150;
  // 0, 1, ..., 4, again and again.
  const Array text = xp::remainder(xp::arange(500), 5).astype(Dtype::kInt32);
  L::Gpt2 model({.vocabulary = 65,
                 .context = 64,
                 .units = 32,
                 .heads = 4,
                 .layers = 2,
                 .dropout = 0});
  const datasets::TokenDataset windows(text, 64);
  iterators::SerialIterator iterator(windows, 12);
  L::Classifier target(
      std::move(model),
      {.lossfun =
           [](const Variable& scores, const Variable& next) {
             return F::softmax_cross_entropy(
                 F::reshape(scores, {next.size(), scores.shape()[2]}),
                 F::reshape(next, {next.size()}));
           },
       .compute_accuracy = false});
  optimizers::AdamW optimizer({.lr = 1e-3, .weight_decay = 0.1});
  optimizer.setup(target);
  for (const auto& [name, parameter] : target.namedparams()) {
    if (parameter.ndim() < 2) {
      update_rule_of(parameter).set_hyperparameter("weight_decay", 0);
    }
  }
  training::StandardUpdater updater(iterator, optimizer);
  training::Trainer trainer(updater, {steps, "iteration"}, {.out = out});
  trainer.extend(extensions::CosineShift(
                     "lr", steps, {.target = 1e-4, .warmup_iter = steps / 20}),
                 {.trigger = {1, "iteration"}});
  trainer.run();

  const std::vector<int32_t> start = {0, 1, 2, 3, 4};
  L::Gpt2& gpt = *target.predictor;
  const L::Generation drawn = L::generate(
      gpt, start,
      {.max_tokens = 20, .temperature = 0.1, .top_k = 10, .seed = 1});
  ASSERT_THAT(drawn.ids, SizeIs(20));

  const auto test_mode = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  auto caches = gpt.make_caches();
  Array next = text[{newaxis, Slice(0, 5)}];
  std::vector<int64_t> written;
  while (std::ssize(written) < 20) {
    const Array scores = gpt(as_variable(next), caches).data()[{0, -1}];
    next = xp::argmax(scores).reshape(1, 1);
    written.push_back(next.item<int64_t>());
  }
  ASSERT_THAT(written, SizeIs(20));
  for (int64_t i = 0; i < 20; ++i) EXPECT_EQ(written[i], i % 5) << i;

  L::save_pretrained(gpt, folder);
  const std::unique_ptr<L::LanguageModel> loaded = L::load_pretrained(folder);
  const L::Generation same = L::generate(*loaded, start, {.max_tokens = 20});
  EXPECT_THAT(same.ids, ElementsAreArray(written));
  // The model is certain.
  EXPECT_EQ(drawn.ids, same.ids);
}

}  // namespace
