// The code of rnn_with_trainer.md: compiled, run, and compared with the page.

#include "catena/docs/guide/rnn_with_trainer_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using catena::testing::IsArray;
using ::testing::HasSubstr;

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

Array make_text(int64_t sentences) {
  const auto any = [&](int64_t from, int64_t to) {
    return xp::random::randint(from, to, {sentences}, Dtype::kInt32);
  };
  const Array the = any(0, 1);
  const Array end = any(6, 7);
  return xp::stack({the, any(1, 4), any(4, 6), the, any(1, 4), end},
                   {.axis = 1})
      .reshape(-1);
}

class ParallelSequentialIterator : public dataset::Iterator {
 public:
  ParallelSequentialIterator(const Array& words, int64_t batch_size,
                             bool repeat = true)
      : words_(words),
        offsets_(xp::floor_divide(xp::arange(batch_size) * words.size(),
                                  batch_size)),
        repeat_(repeat) {}

  // The words at the offsets, and those that follow them.
  dataset::NextBatch next() override {
    if (!repeat_ && epoch() > 0) return std::nullopt;
    const Array current = words_at_offsets();
    ++iteration_;
    return dataset::Batch::of_rows({current, words_at_offsets()});
  }

  int64_t batch_size() const override { return offsets_.size(); }
  double epoch_detail() const override { return detail_at(iteration_); }
  std::optional<double> previous_epoch_detail() const override {
    if (iteration_ == 0) return std::nullopt;
    return detail_at(iteration_ - 1);
  }
  int64_t epoch() const override {
    return static_cast<int64_t>(epoch_detail());
  }
  bool is_new_epoch() const override {
    return iteration_ > 0 && epoch() > std::floor(detail_at(iteration_ - 1));
  }
  bool repeat() const override { return repeat_; }

  void reset() override { iteration_ = 0; }
  std::unique_ptr<dataset::Iterator> copy() const override {
    return std::make_unique<ParallelSequentialIterator>(*this);
  }
  void serialize(const Serializer& serializer) override {
    serializer("iteration", iteration_);
  }

 private:
  Array words_at_offsets() const {
    return xp::take(words_, (offsets_ + iteration_) % words_.size());
  }
  double detail_at(int64_t iteration) const {
    return static_cast<double>(iteration * batch_size()) /
           static_cast<double>(words_.size());
  }

  Array words_;
  Array offsets_;
  bool repeat_;
  int64_t iteration_ = 0;
};

class BPTTUpdater : public training::StandardUpdater {
 public:
  BPTTUpdater(dataset::Iterator& iterator, Optimizer& optimizer,
              int64_t bprop_len)
      : StandardUpdater(iterator, optimizer), bprop_len_(bprop_len) {}

 protected:
  void update_core() override {
    Optimizer& optimizer = get_optimizer("main");
    Variable loss = xp::array(0.0f);
    for (int64_t i = 0; i < bprop_len_; ++i) {
      loss += optimizer.loss_function()(next_batch(get_iterator("main")));
    }
    optimizer.target().cleargrads();
    loss.backward();
    loss.unchain_backward();
    optimizer.update();
    report({{"loss", loss / bprop_len_}}, &optimizer.target());
  }

 private:
  int64_t bprop_len_;
};

class RnnWithTrainerPageTest : public ::testing::Test {
 protected:
  RnnWithTrainerPageTest() { xp::random::seed(0); }

  const catena::testing::TempFolder temp_;
  const std::string folder = temp_.file("result");
};

TEST_F(RnnWithTrainerPageTest, TrainsALanguageModel) {
  ::testing::internal::CaptureStdout();
  L::Classifier model(RNN(7), {.compute_accuracy = false});
  optimizers::Adam optimizer({.alpha = 0.01});
  optimizer.setup(model);
  optimizer.add_hook(optimizers::GradientClipping(5));

  ParallelSequentialIterator train_iter(make_text(400), 10);
  ParallelSequentialIterator test_iter(make_text(50), 1, false);
  BPTTUpdater updater(train_iter, optimizer, 10);
  training::Trainer trainer(updater, {10, "epoch"}, {.out = folder});

  L::Classifier eval_model = copy(model);  // same parameters, its own state
  trainer.extend(extensions::Evaluator(
      test_iter, eval_model, {.eval_hook = [&](extensions::Evaluator&) {
        eval_model.predictor->reset_state();
      }}));
  trainer.extend(extensions::LogReport({.postprocess = [](Observation& entry) {
    const double loss = entry["validation/main/loss"].as_double();
    entry.set("perplexity", std::exp(loss));
  }}));
  trainer.extend(extensions::PrintReport({"epoch", "main/loss", "perplexity"}));
  trainer.extend(extensions::snapshot());
  trainer.run();

  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              HasSubstr("perplexity"));
  const auto& log = trainer.get_extension<extensions::LogReport>().log();
  ASSERT_EQ(log.size(), 10);
  EXPECT_LT(log.back()["perplexity"].as_double(), 1.65);
  EXPECT_GT(log.back()["perplexity"].as_double(), 1.6);
  EXPECT_NEAR(log.back()["main/loss"].as_double(), std::log(18) / 6, 0.05);

  // The evaluation has not touched the state of the training.
  EXPECT_EQ(model.predictor->mid->h.shape(), (Shape{10, 16}));
  EXPECT_EQ(eval_model.predictor->mid->h.shape(), (Shape{1, 16}));
  EXPECT_THAT(eval_model.predictor->out->W.array(),
              IsArray(model.predictor->out->W.array()));

  // A snapshot continues at the same place of the text.
  RNN rnn(7);
  L::Classifier later(rnn);
  optimizers::Adam adam;
  adam.setup(later);
  ParallelSequentialIterator later_iter(make_text(400), 10);
  BPTTUpdater later_updater(later_iter, adam, 12);
  training::Trainer later_trainer(later_updater, {1, "epoch"}, {.out = folder});
  serializers::load_npz(extensions::latest_snapshot(folder), later_trainer);
  EXPECT_EQ(later_iter.epoch_detail(), train_iter.epoch_detail());
  EXPECT_THAT(later.predictor->out->W.array(),
              IsArray(model.predictor->out->W.array()));
}

TEST_F(RnnWithTrainerPageTest, TheTextHasSixWordsASentence) {
  const Array text = make_text(50);
  EXPECT_EQ(text.shape(), (Shape{300}));
  EXPECT_EQ(text[0].item<int>(), 0);
  EXPECT_EQ(text[5].item<int>(), 6);
}

TEST_F(RnnWithTrainerPageTest, TheIteratorReadsInSeveralPlaces) {
  const Array words = xp::arange(10, Dtype::kInt32);
  ParallelSequentialIterator iterator(words, 3);
  EXPECT_EQ(iterator.previous_epoch_detail(), std::nullopt);
  const auto batch = [&] { return dataset::concat_examples(*iterator.next()); };
  dataset::Example pair = batch();
  EXPECT_THAT(pair[0], IsArray(xp::array({0, 3, 6}, Dtype::kInt32)));
  EXPECT_THAT(pair[1], IsArray(xp::array({1, 4, 7}, Dtype::kInt32)));
  pair = batch();
  EXPECT_THAT(pair[0], IsArray(xp::array({1, 4, 7}, Dtype::kInt32)));
  EXPECT_DOUBLE_EQ(iterator.epoch_detail(), 0.6);
  EXPECT_FALSE(iterator.is_new_epoch());
  batch();
  pair = batch();
  EXPECT_THAT(pair[1], IsArray(xp::array({4, 7, 0}, Dtype::kInt32)));
  EXPECT_TRUE(iterator.is_new_epoch());
  EXPECT_EQ(iterator.epoch(), 1);
  EXPECT_DOUBLE_EQ(*iterator.previous_epoch_detail(), 0.9);
  batch();
  EXPECT_FALSE(iterator.is_new_epoch());

  serializers::save_npz(folder, iterator);
  ParallelSequentialIterator loaded(words, 3);
  serializers::load_npz(folder, loaded);
  EXPECT_EQ(loaded.epoch_detail(), iterator.epoch_detail());
  EXPECT_THAT(dataset::concat_examples(*loaded.next())[0], IsArray(batch()[0]));

  ParallelSequentialIterator once(words, 1, false);
  int64_t steps = 0;
  while (once.next()) ++steps;
  EXPECT_EQ(steps, 10);
}

TEST(RnnWithTrainerPageBlocksTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/rnn_with_trainer.md",
                                       "docs/guide/rnn_with_trainer_md_test.cc",
                                       5);
}

}  // namespace
