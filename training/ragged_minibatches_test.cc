// Training on sequences of different lengths, with every updater and Evaluator.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/dataset/convert.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/multithread_iterator.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/links/chain.h"
#include "catena/links/connection/embed_id.h"
#include "catena/links/connection/linear.h"
#include "catena/links/connection/n_step_lstm.h"
#include "catena/links/link.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/sgd.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/evaluator.h"
#include "catena/training/multiprocess_parallel_updater.h"
#include "catena/training/parallel_updater.h"
#include "catena/training/standard_updater.h"
#include "catena/training/trainer.h"

namespace catena::training {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::TempFolder;
using dataset::concat_converter;
using extensions::Evaluator;
using iterators::MultithreadIterator;
using iterators::SerialIterator;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Words 0 to 3, and whether the first one is greater than 1.
std::vector<std::pair<std::vector<int>, int>> sentences() {
  std::vector<std::pair<std::vector<int>, int>> examples;
  for (int i = 0; i < 32; ++i) {
    std::vector<int> words;
    for (int j = 0; j < 1 + i % 5; ++j) words.push_back((i * 7 + j * 3) % 4);
    examples.emplace_back(words, words[0] > 1 ? 1 : 0);
  }
  return examples;
}

class Sentiment : public Chain<Sentiment> {
 public:
  Sentiment()
      : embed(this, "embed", 4, 6),
        rnn(this, "rnn", 1, 6, 8, 0.0),
        out(this, "out", 8, 2) {}

  Variable forward(const std::vector<Variable>& xs, const Variable& t) {
    std::vector<Variable> vectors;
    for (const Variable& x : xs) vectors.push_back(embed(x));
    const auto [hy, cy, ys] = rnn(Variable(), Variable(), vectors);
    const Variable loss = functions::softmax_cross_entropy(
        out(functions::reshape(hy, {-1, 8})), t);
    report({{"loss", loss}}, this);
    return loss;
  }

 private:
  Child<links::EmbedID> embed;
  Child<links::NStepLSTM> rnn;
  Child<links::Linear> out;
};

template <class Iterator>
void expect_training_lowers_the_loss(std::optional<Device> device) {
  array::random::seed(5);
  const TempFolder folder;
  Sentiment model;
  optimizers::Adam optimizer({.alpha = 0.05});
  optimizer.setup(model);
  Iterator train(sentences(), 8);
  SerialIterator test(sentences(), 8, {.repeat = false, .shuffle = false});
  const auto converter = concat_converter({.lists = {0}});
  StandardUpdater updater(train, optimizer,
                          {.converter = converter, .device = device});
  Trainer trainer(updater, {15, "epoch"}, {.out = folder.file("result")});
  trainer.extend(
      Evaluator(test, model, {.converter = converter, .device = device}));
  std::vector<double> losses;
  trainer.extend(
      [&](Trainer& t) {
        losses.push_back(t.observation()["validation/main/loss"].as_double());
      },
      {.trigger = {1, "epoch"}});
  trainer.run();
  ASSERT_EQ(losses.size(), 15u);
  EXPECT_LT(losses.back(), losses.front() / 2);
}

TEST(RaggedMinibatchesTest, ALoopLearnsFromSequencesOfDifferentLengths) {
  expect_training_lowers_the_loss<SerialIterator>(std::nullopt);
}

TEST(RaggedMinibatchesTest, ALoopLearnsOnADeviceWithThreadsThatRead) {
  expect_training_lowers_the_loss<MultithreadIterator>(native_device(1));
}

// The sum of w * x over all sequences.
class Scale : public Link {
 public:
  Scale() : w(this, "w", 1.0, Shape{1}) {}
  Variable forward(std::span<const Variable> xs) {
    Variable loss = functions::sum(w * xs[0]);
    lengths.emplace_back();
    for (const Variable& x : xs) {
      EXPECT_EQ(x.device(), w.device());
      lengths.back().push_back(x.size());
      if (!x.is_same(xs[0])) loss = loss + functions::sum(w * x);
    }
    report({{"loss", loss}}, this);
    return loss;
  }
  Param w;
  std::vector<std::vector<int64_t>> lengths;
};

// 1, 2 and so on ones.
std::vector<Array> triangle(int64_t count) {
  std::vector<Array> rows;
  for (int64_t i = 1; i <= count; ++i) {
    rows.push_back(array::ones({i}, Dtype::kFloat32));
  }
  return rows;
}

class ScaleTest : public ::testing::Test {
 protected:
  ScaleTest() { optimizer.setup(model); }

  float weight() const { return model.w.data().item<float>(); }

  SerialIterator iterator{triangle(5), 5, {.shuffle = false}};
  Scale model;
  optimizers::SGD optimizer{{.lr = 0.5}};
};

TEST_F(ScaleTest, StandardUpdaterPassesLists) {
  StandardUpdater updater(iterator, optimizer,
                          {.converter = dataset::list_examples});
  updater.update();
  EXPECT_THAT(model.lengths, ElementsAre(ElementsAre(1, 2, 3, 4, 5)));
  EXPECT_EQ(weight(), 1 - 0.5f * 15);
}

TEST_F(ScaleTest, ParallelUpdaterDealsSequencesOut) {
  Scale second;
  ParallelUpdater updater(
      iterator, optimizer, {{"main", model}, {"second", second}},
      {{"main", native_device()}, {"second", native_device(1)}},
      {.converter = dataset::list_examples});
  updater.update();
  EXPECT_THAT(model.lengths, ElementsAre(ElementsAre(1, 3, 5)));
  EXPECT_THAT(second.lengths, ElementsAre(ElementsAre(2, 4)));
  EXPECT_EQ(weight(), 1 - 0.5f * 15);
  EXPECT_EQ(second.w.data().item<float>(), weight());
}

TEST_F(ScaleTest, ParallelUpdatersLossFunctionsGetLists) {
  ParallelUpdaterOptions options{.converter = dataset::list_examples};
  size_t sequences = 0;
  options.loss_func = [&](Link& link, const LossInputs& inputs) {
    sequences += inputs.list(0).size();
    return dynamic_cast<Scale&>(link).forward(inputs.list(0));
  };
  ParallelUpdater updater(
      iterator, optimizer, model,
      {{"main", native_device()}, {"second", native_device(1)}}, options);
  updater.update();
  EXPECT_EQ(sequences, 5u);
}

TEST_F(ScaleTest, ThreadsOfSeveralDevicesGetLists) {
  SerialIterator second(triangle(2), 2, {.shuffle = false});
  MultiprocessParallelUpdater updater(
      {&iterator, &second}, optimizer, model,
      {.converter = dataset::list_examples,
       .devices = {native_device(), native_device(1)}});
  updater.update();
  EXPECT_EQ(weight(), 1 - 0.5f * (15 + 3));
  updater.finalize();
}

TEST_F(ScaleTest, EvaluatorPassesLists) {
  SerialIterator test(triangle(3), 2, {.repeat = false, .shuffle = false});
  Evaluator evaluator(test, model, {.converter = dataset::list_examples});
  // Minibatches of 1 + 2 and 3 elements.
  EXPECT_EQ(evaluator()["main/loss"].as_double(), 3);
}

// Updates with the first sequence of each minibatch.
class FirstOnly : public StandardUpdater {
 public:
  using StandardUpdater::StandardUpdater;

 protected:
  void update_core() override {
    const LossInputs batch = next_batch(main_iterator());
    LossInputs first;
    first.add(std::vector<Variable>{batch.list(0)[0]});
    main_optimizer().update(main_optimizer().loss_function(), first);
  }
};

TEST_F(ScaleTest, UpdateCoreCanTakeListsApart) {
  FirstOnly updater(iterator, optimizer, {.converter = dataset::list_examples});
  updater.update();
  EXPECT_THAT(model.lengths, ElementsAre(ElementsAre(1)));
  EXPECT_EQ(weight(), 0.5f);
}

TEST_F(ScaleTest, AnArrayWhereTheModelTakesAListIsAnError) {
  SerialIterator equal(array::ones({4, 3}, Dtype::kFloat32), 2);
  StandardUpdater updater(equal, optimizer);
  EXPECT_THAT(
      error_of<ValueError>([&] { updater.update(); }),
      HasSubstr("expected a list of arrays in field 0, one for each example, "
                "got one array, (2, 3), float32"));
  EXPECT_EQ(updater.iteration(), 0);
  EXPECT_EQ(weight(), 1);
}

TEST_F(ScaleTest, AListWhereTheModelTakesAnArrayIsAnError) {
  class Sum : public Link {
   public:
    Sum() : w(this, "w", 1.0, Shape{1}) {}
    Variable forward(const Variable& x) { return functions::sum(w * x); }
    Param w;
  } sum;
  optimizers::SGD other;
  other.setup(sum);
  const datasets::DictDataset named({{"words", triangle(4)}});
  SerialIterator words(named, 2, {.shuffle = false});
  const auto expect_error = [](auto&& call) {
    EXPECT_THAT(error_of<ValueError>(call),
                HasSubstr("expected one array in field 'words', got a list of "
                          "2 arrays"));
  };
  StandardUpdater updater(words, other, {.converter = dataset::list_examples});
  expect_error([&] { updater.update(); });
  EXPECT_EQ(sum.w.data().item<float>(), 1);
  SerialIterator test(named, 2, {.repeat = false});
  Evaluator evaluator(test, sum, {.converter = dataset::list_examples});
  expect_error([&] { evaluator(); });
  StandardUpdater without(words, other);
  EXPECT_THAT(
      error_of<ShapeError>([&] { without.update(); }),
      HasSubstr("field 'words': expected shape (3,) of example 0 "
                "(dataset[2]), got shape (4,) in example 1 (dataset[3]); set "
                "a padding to allow different shapes, or name the field in "
                "lists"));
}

}  // namespace
}  // namespace catena::training
