#include "catena/training/standard_updater.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/links/chain.h"
#include "catena/links/link.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/sgd.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::training {
namespace {

using array::arange;
using array::array;
using ::catena::testing::error_of;
using iterators::SerialIterator;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TempFolder;

// The sum of w * x.
class Scale : public Link {
 public:
  Scale() : w(this, "w", 1.0, Shape{1}) {}
  Variable forward(const Variable& x) {
    seen.push_back(x.data());
    return functions::sum(w * x);
  }
  Param w;
  std::vector<Array> seen;
};

class StandardUpdaterTest : public ::testing::Test {
 protected:
  StandardUpdaterTest() { optimizer.setup(model); }

  Array data = arange(5, Dtype::kFloat32);
  SerialIterator iterator{data, 2, {.shuffle = false}};
  Scale model;
  optimizers::SGD optimizer{{.lr = 0.5}};
};

TEST_F(StandardUpdaterTest, AutocastHoldsForUpdatesAlone) {
  Dtype product = Dtype::kFloat32;
  StandardUpdater updater(iterator, optimizer,
                          {.loss_func =
                               [&](const LossInputs& batch) {
                                 const Variable y =
                                     functions::matmul(batch[0], batch[0]);
                                 product = y.dtype();
                                 return functions::sum(model.w * y);
                               },
                           .autocast = Dtype::kBFloat16});
  updater.update();
  EXPECT_EQ(product, Dtype::kBFloat16);
  EXPECT_FALSE(config().autocast.is_on());
  EXPECT_EQ(model.w.dtype(), Dtype::kFloat32);
  EXPECT_FLOAT_EQ(model.w.data().item<float>(), 1 - 0.5 * (0 + 1));
}

TEST_F(StandardUpdaterTest, UpdatesTheTargetWithEachMinibatch) {
  StandardUpdater updater(iterator, optimizer);
  EXPECT_EQ(updater.iteration(), 0);
  updater.update();
  EXPECT_FLOAT_EQ(model.w.data().item<float>(), 1 - 0.5 * (0 + 1));
  updater.update();
  EXPECT_FLOAT_EQ(model.w.data().item<float>(), 0.5 - 0.5 * (2 + 3));
  EXPECT_EQ(updater.iteration(), 2);
  EXPECT_EQ(optimizer.t(), 2);
}

TEST_F(StandardUpdaterTest, CountsEpochsAsTheIteratorDoes) {
  StandardUpdater updater(iterator, optimizer);
  EXPECT_EQ(updater.previous_epoch_detail(), 0);
  for (int i = 0; i < 3; ++i) updater.update();
  EXPECT_EQ(updater.epoch(), 1);
  EXPECT_DOUBLE_EQ(updater.epoch_detail(), 1.2);
  EXPECT_DOUBLE_EQ(updater.previous_epoch_detail(), 0.8);
  EXPECT_TRUE(updater.is_new_epoch());
  EXPECT_EQ(optimizer.epoch(), 1);
}

// Reports the mean of x, which is the loss, w times it.
class MeanModel : public Chain<MeanModel> {
 public:
  MeanModel() : w(this, "w", 1.0, Shape{1}) {}
  Variable forward(const Variable& x) {
    const Variable loss = functions::sum(w * x) / static_cast<double>(x.len());
    report({{"loss", loss}, {"count", x.len()}, {"x", x.data()}}, this);
    return loss * loss;
  }
  Param w;
};

TEST_F(StandardUpdaterTest, AccumulatedMinibatchesAreALargeOne) {
  const Array numbers = arange(12, Dtype::kFloat32) / 10;
  const auto trained = [&](int64_t batch_size, int64_t accumulate) {
    MeanModel mean;
    optimizers::SGD sgd({.lr = 0.5});
    sgd.setup(mean);
    SerialIterator batches(numbers, batch_size, {.shuffle = false});
    const auto loss = [&](const Variable& x) {
      return functions::sum((mean.w * x - 0.3) * (mean.w * x - 0.3)) /
             static_cast<double>(x.len());
    };
    StandardUpdater updater(
        batches, sgd,
        {.loss_func = loss_function_of(loss), .accumulate = accumulate});
    for (int i = 0; i < 4; ++i) updater.update();
    EXPECT_EQ(updater.iteration(), 4);
    EXPECT_EQ(sgd.t(), 4);
    EXPECT_DOUBLE_EQ(updater.epoch_detail(),
                     4 * static_cast<double>(batch_size * accumulate) / 12);
    return mean.w.data().item<float>();
  };
  const float large = trained(4, 1);
  EXPECT_NE(large, 1);
  EXPECT_NEAR(trained(2, 2), large, 1e-6);
  EXPECT_NEAR(trained(1, 4), large, 1e-6);
}

TEST_F(StandardUpdaterTest, AnEpochThatEndsAmongAccumulatedMinibatchesCounts) {
  StandardUpdater updater(iterator, optimizer, {.accumulate = 2});
  updater.update();
  EXPECT_FALSE(updater.is_new_epoch());
  EXPECT_EQ(updater.previous_epoch_detail(), 0);
  updater.update();  // the third minibatch is the last of the first epoch
  EXPECT_TRUE(updater.is_new_epoch());
  EXPECT_DOUBLE_EQ(updater.previous_epoch_detail(), 0.8);
  EXPECT_DOUBLE_EQ(updater.epoch_detail(), 1.6);
  EXPECT_EQ(optimizer.epoch(), 1);
  StandardUpdater longer(iterator, optimizer, {.accumulate = 6});
  longer.update();
  EXPECT_EQ(optimizer.epoch(), 4);
}

TEST_F(StandardUpdaterTest, AccumulatedMinibatchesReportTheirMean) {
  MeanModel mean;
  optimizers::SGD sgd({.lr = 0});
  sgd.setup(mean);
  SerialIterator batches(data, 2, {.shuffle = false});
  StandardUpdater updater(batches, sgd, {.accumulate = 2});
  Reporter reporter;
  reporter.add_observer("main", mean);
  Observation observation;
  {
    const auto scope = reporter.scope(observation);
    updater.update();
  }
  EXPECT_EQ(observation["main/loss"].as_double(), 1.5);
  EXPECT_EQ(observation["main/count"].as_double(), 2);
  EXPECT_THAT(observation["main/x"].array(),
              testing::IsArray(array({2.0f, 3.0f})));
  updater.update();  // nobody listens
  EXPECT_EQ(updater.iteration(), 2);
}

TEST_F(StandardUpdaterTest, AccumulatedStepsResumeAtAnyIteration) {
  const TempFolder folder;
  const auto run = [&](int cut) {
    float result = 0;
    for (const int end : {cut, 5}) {
      Scale scale;
      optimizers::MomentumSGD momentum({.lr = 0.01});
      momentum.setup(scale);
      SerialIterator batches(data, 2, {.seed = 3});
      StandardUpdater updater(batches, momentum, {.accumulate = 2});
      if (end == 5 && cut < 5) {
        serializers::load_npz(folder.file("accumulated"), updater);
      }
      while (updater.iteration() < end) updater.update();
      serializers::save_npz(folder.file("accumulated"), updater);
      result = scale.w.data().item<float>();
      if (cut == 5) break;
    }
    return result;
  };
  for (const int cut : {1, 2, 3, 4}) EXPECT_EQ(run(cut), run(5)) << cut;
}

TEST_F(StandardUpdaterTest, RefusesWhatCannotBeAccumulated) {
  EXPECT_THAT(error_of<ValueError>([&] {
                StandardUpdater(iterator, optimizer, {.accumulate = 0});
              }),
              HasSubstr("expected a positive number of minibatches to "
                        "accumulate, got 0"));
  EXPECT_THAT(error_of<NotImplementedError>([&] {
                StandardUpdater(iterator, optimizer,
                                {.accumulate = 2, .capture = Capture::kAlways});
              }),
              HasSubstr("got accumulate = 2; such steps are not captured"));
}

TEST_F(StandardUpdaterTest, PassesEachFieldAsAnArgument) {
  const datasets::TupleDataset pairs(data, data);
  SerialIterator both(pairs, 5, {.shuffle = false});
  int calls = 0;
  const auto loss = [&](const Variable& x, const Variable& t) {
    ++calls;
    return functions::sum(model.w * x * t);
  };
  StandardUpdater updater(both, optimizer,
                          {.loss_func = loss_function_of(loss)});
  updater.update();
  EXPECT_EQ(calls, 1);
  EXPECT_FLOAT_EQ(model.w.data().item<float>(), 1 - 0.5 * 30);
  StandardUpdater without(both, optimizer);
  EXPECT_THAT(error_of<ValueError>([&] { without.update(); }),
              HasSubstr("cannot be called with 2 variables"));
  EXPECT_EQ(without.iteration(), 0);
}

TEST_F(StandardUpdaterTest, UsesTheConverter) {
  const auto halves = [](const dataset::Batch& batch,
                         const std::optional<Device>&) {
    return dataset::Example{dataset::concat_examples(batch)[0] * 0.5f};
  };
  StandardUpdater updater(iterator, optimizer, {.converter = halves});
  updater.update();
  EXPECT_FLOAT_EQ(model.w.data().item<float>(), 1 - 0.5 * 0.5);
  EXPECT_TRUE(updater.converter() != nullptr);
  EXPECT_TRUE(updater.loss_func() == nullptr);
}

TEST_F(StandardUpdaterTest, MovesModelAndMinibatchesToTheDevice) {
  const Device other = native_device(1);
  StandardUpdater updater(iterator, optimizer, {.device = other});
  EXPECT_EQ(model.w.device(), other);
  updater.update();
  EXPECT_EQ(model.seen[0].device(), other);
  EXPECT_EQ(updater.device(), other);
}

TEST_F(StandardUpdaterTest, RejectsOptionsBeforeItMovesTheModel) {
  EXPECT_THAT(error_of<ValueError>([&] {
                StandardUpdater(
                    iterator, optimizer,
                    {.converter = nullptr, .device = native_device(1)});
              }),
              HasSubstr("expected a converter, got none"));
  EXPECT_THROW(
      StandardUpdater(iterator, optimizer, {.device = native_device(200)}),
      DeviceError);
  EXPECT_EQ(model.w.device(), native_device());
}

TEST_F(StandardUpdaterTest, LossScalesAreTakenOutOfGradients) {
  optimizer.set_loss_scale(128);
  StandardUpdater updater(iterator, optimizer);
  updater.update();
  EXPECT_EQ(model.w.data().item<float>(), 1 - 0.5f * (0 + 1));
  EXPECT_EQ(model.w.grad().item<float>(), 1);
  optimizer.loss_scaling();
  for (int i = 0; i < 2; ++i) updater.update();
  EXPECT_EQ(optimizer.loss_scale(), 4);
  EXPECT_EQ(model.w.data().item<float>(), 0.5f - 0.5f * (2 + 3) - 0.5f * 4);
}

// The gradient of the third minibatch is finite, but not four times it.
TEST_F(StandardUpdaterTest, StepsThatADynamicScaleOverflowsAreSkipped) {
  const Array x = array({1.0, 1.0, 2.0, 2.0, 2e38, 0.0, 1.0, 0.0});
  SerialIterator batches(x.astype(Dtype::kFloat32), 2, {.shuffle = false});
  optimizer.loss_scaling({.interval = 2});
  StandardUpdater updater(batches, optimizer);
  for (int i = 0; i < 2; ++i) updater.update();
  EXPECT_EQ(model.w.data().item<float>(), 1 - 0.5f * 2 - 0.5f * 4);
  EXPECT_EQ(optimizer.loss_scale(), 4);

  updater.update();
  EXPECT_TRUE(optimizer.was_skipped());
  EXPECT_EQ(model.w.data().item<float>(), -2);
  EXPECT_EQ(optimizer.loss_scale(), 2);
  EXPECT_EQ(optimizer.t(), 2);
  EXPECT_EQ(updater.iteration(), 3);

  updater.update();
  EXPECT_FALSE(optimizer.was_skipped());
  EXPECT_EQ(model.w.data().item<float>(), -2 - 0.5f * 1);
  EXPECT_EQ(optimizer.t(), 3);
  EXPECT_EQ(optimizer.epoch(), 1);
}

TEST_F(StandardUpdaterTest, AnIteratorThatEndsIsAnError) {
  SerialIterator once(data, 5, {.repeat = false});
  StandardUpdater updater(once, optimizer);
  updater.update();
  EXPECT_THAT(error_of<ValueError>([&] { updater.update(); }),
              HasSubstr("repeat = true"));
  EXPECT_EQ(updater.iteration(), 1);
}

TEST_F(StandardUpdaterTest, KnowsIteratorsAndOptimizersByName) {
  SerialIterator second(data, 1);
  Scale critic;
  optimizers::SGD other;
  other.setup(critic);
  StandardUpdater updater({{"main", &iterator}, {"second", &second}},
                          {{"main", &optimizer}, {"critic", &other}});
  EXPECT_EQ(&updater.get_iterator("second"), &second);
  EXPECT_EQ(&updater.get_optimizer("critic"), &other);
  EXPECT_EQ(updater.get_all_optimizers().size(), 2u);
  EXPECT_THAT(error_of<ValueError>([&] { updater.get_iterator("third"); }),
              HasSubstr("('main', 'second'), got 'third'"));
  EXPECT_THAT(error_of<ValueError>([&] {
                StandardUpdater({{"main", nullptr}}, {{"main", &optimizer}});
              }),
              HasSubstr("iterator 'main', got a null"));
}

// Two steps of one optimizer in each iteration.
class TwoSteps : public StandardUpdater {
 public:
  using StandardUpdater::StandardUpdater;

 protected:
  void update_core() override {
    for (int i = 0; i < 2; ++i) {
      const auto batch = next_batch(get_iterator("main"));
      Optimizer& optimizer = get_optimizer("main");
      optimizer.update(optimizer.loss_function(), batch);
    }
  }
};

TEST_F(StandardUpdaterTest, UpdateCoreCanBeReplaced) {
  TwoSteps updater(iterator, optimizer);
  updater.update();
  EXPECT_EQ(updater.iteration(), 1);
  EXPECT_EQ(optimizer.t(), 2);
}

// Two optimizers, neither of them "main", and no optimizer that is.
class TwoModels : public StandardUpdater {
 public:
  using StandardUpdater::StandardUpdater;

 protected:
  void update_core() override {
    const auto batch = next_batch(main_iterator());
    for (const char* name : {"gen", "dis"}) {
      Optimizer& optimizer = get_optimizer(name);
      optimizer.update(optimizer.loss_function(), batch);
    }
  }
};

TEST_F(StandardUpdaterTest, NeedsNoMainWhereUpdateCoreDoesNot) {
  Scale critic;
  optimizers::SGD other({.lr = 0.25});
  other.setup(critic);
  TwoModels updater({{"train", &iterator}},
                    {{"gen", &optimizer}, {"dis", &other}});
  for (int i = 0; i < 3; ++i) updater.update();
  EXPECT_EQ(optimizer.t(), 3);
  EXPECT_EQ(other.t(), 3);
  EXPECT_EQ(updater.epoch(), 1);  // of the only iterator
  const TempFolder folder;
  serializers::save_npz(folder.file("updater"), updater);
  EXPECT_TRUE(array::NpzReader(folder.file("updater")).contains("model:dis/w"));
}

TEST_F(StandardUpdaterTest, SaysWhichOneItCannotChoose) {
  SerialIterator second(data, 1);
  Scale critic;
  optimizers::SGD other;
  other.setup(critic);
  StandardUpdater two_optimizers({{"main", &iterator}},
                                 {{"gen", &optimizer}, {"dis", &other}});
  EXPECT_THAT(error_of<ValueError>([&] { two_optimizers.update(); }),
              HasSubstr("main_optimizer: expected an optimizer named "
                        "'main', or only one, got 'dis', 'gen'"));
  EXPECT_EQ(iterator.epoch_detail(), 0);  // no minibatch is lost
  StandardUpdater two_iterators({{"a", &iterator}, {"b", &second}},
                                {{"main", &optimizer}});
  EXPECT_THAT(error_of<ValueError>([&] { two_iterators.update(); }),
              HasSubstr("got 'a', 'b'"));
  EXPECT_THROW(two_iterators.epoch(), ValueError);
  EXPECT_THROW(StandardUpdater({}, {}).update(), ValueError);
}

class FinalizedIterator : public dataset::Iterator {
 public:
  dataset::NextBatch next() override { return std::nullopt; }
  int64_t batch_size() const override { return 1; }
  int64_t epoch() const override { return 0; }
  double epoch_detail() const override { return 0; }
  std::optional<double> previous_epoch_detail() const override { return {}; }
  bool is_new_epoch() const override { return false; }
  bool repeat() const override { return true; }
  void reset() override {}
  void finalize() override { ++finalized; }
  int finalized = 0;
};

TEST_F(StandardUpdaterTest, FinalizesItsIterators) {
  FinalizedIterator first;
  FinalizedIterator second;
  StandardUpdater updater({{"main", &first}, {"other", &second}},
                          {{"main", &optimizer}});
  updater.finalize();
  EXPECT_EQ(first.finalized, 1);
  EXPECT_EQ(second.finalized, 1);
}

TEST_F(StandardUpdaterTest, HasTheOriginalsKeys) {
  const TempFolder folder;
  StandardUpdater updater(iterator, optimizer);
  updater.update();
  serializers::save_npz(folder.file("updater"), updater);
  const array::NpzReader reader(folder.file("updater"));
  EXPECT_THAT(reader.keys(),
              ElementsAre("iterator:main/current_position",
                          "iterator:main/epoch", "iterator:main/is_new_epoch",
                          "iterator:main/previous_epoch_detail",
                          "optimizer:main/t", "optimizer:main/epoch",
                          "optimizer:main/w/t", "model:main/w", "iteration"));
}

}  // namespace
}  // namespace catena::training
