#include "catena/training/parallel_updater.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/links/chain.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/sgd.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/trainer.h"

namespace catena::training {
namespace {

using array::arange;
using ::catena::testing::error_of;
using iterators::SerialIterator;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;
using testing::TempFolder;

// The sum over examples of |W x|^2, with W initialized at the first call, and a
// running count of examples.
class Part : public Link {
 public:
  Part()
      : W(this, "W", initializers::Normal(1.0)),
        count(this, "count", array::zeros({}, Dtype::kFloat32)) {}
  Variable forward(const Variable& x) {
    if (!W.is_initialized()) W.initialize({3, x.shape()[1]});
    seen.push_back(x.data());
    count = count + static_cast<float>(x.shape()[0]);
    const Variable y = functions::linear(x, W, Variable());
    Variable loss = functions::sum(y * y);
    report({{"loss", loss}}, this);
    return loss;
  }
  Param W;
  Persistent count;
  std::vector<Array> seen;
};

class WholeModel : public Chain<WholeModel> {
 public:
  WholeModel() : part(this, "part") {}
  Variable forward(const Variable& x) { return part->forward(x); }
  Child<Part> part;
};

class ParallelUpdaterTest : public ::testing::Test {
 protected:
  ParallelUpdaterTest() {
    array::random::seed(7);
    optimizer.setup(model);
  }

  static Part& part_of(const ParallelUpdater& updater, size_t i) {
    return *dynamic_cast<WholeModel&>(*updater.models()[i]).part;
  }
  void expect_error(const NamedModels& models, const NamedDevices& devices,
                    const char* message) {
    EXPECT_THAT(error_of<ValueError>([&] {
                  ParallelUpdater(iterator, optimizer, models, devices);
                }),
                HasSubstr(message));
  }

  const NamedDevices two = {{"main", native_device()},
                            {"second", native_device(1)}};
  Array data = (arange(20, Dtype::kFloat32) * 0.1f - 1.0f).reshape({10, 2});
  SerialIterator iterator{data, 5, {.shuffle = false}};
  WholeModel model;
  optimizers::Adam optimizer;
};

TEST_F(ParallelUpdaterTest, GradientsAddUpToThoseOfTheWholeMinibatch) {
  model.part->W.initialize({3, 2});
  WholeModel alone = model;
  optimizers::Adam other;
  other.setup(alone);
  SerialIterator same = iterator;
  StandardUpdater single(same, other);
  ParallelUpdater updater(iterator, optimizer, model, two);
  for (int i = 0; i < 5; ++i) {
    single.update();
    updater.update();
    EXPECT_THAT(model.part->W.data(), IsClose(alone.part->W.data())) << i;
  }
  EXPECT_EQ(updater.iteration(), 5);
  EXPECT_EQ(optimizer.t(), 5);
  EXPECT_EQ(updater.epoch(), 2);
  EXPECT_EQ(optimizer.epoch(), 2);
}

TEST_F(ParallelUpdaterTest, TakesIteratorsAndOptimizersByName) {
  WholeModel critic;
  optimizers::Adam of_critic;
  of_critic.setup(critic);
  SerialIterator noise = iterator;
  WholeModel second;
  const NamedModels models = {{"main", model}, {"second", second}};
  ParallelUpdater updater({{"main", &iterator}, {"noise", &noise}},
                          {{"main", &optimizer}, {"critic", &of_critic}},
                          models, two);
  updater.update();
  EXPECT_EQ(optimizer.t(), 1);
  EXPECT_EQ(of_critic.t(), 0);
  EXPECT_EQ(&updater.get_iterator("noise"), &noise);
  EXPECT_EQ(&updater.get_optimizer("critic"), &of_critic);
  EXPECT_THAT(error_of<ValueError>([&] {
                ParallelUpdater({{"noise", &noise}}, {{"main", &optimizer}},
                                models, two);
              }),
              HasSubstr("expected an iterator and an optimizer named 'main'"));
}

TEST_F(ParallelUpdaterTest, DealsExamplesOutInTurn) {
  ParallelUpdater updater(iterator, optimizer, model,
                          {{"second", native_device(1)},
                           {"main", native_device()},
                           {"third", native_device(2)}});
  updater.update();
  const auto expect_share = [&](size_t i, int64_t first, Device device) {
    SCOPED_TRACE(i);
    const Array& seen = part_of(updater, i).seen.at(0);
    EXPECT_EQ(seen.device(), device);
    EXPECT_THAT(seen.to_device(native_device()),
                IsArray(data[{Slice(first, 5, 3)}]));
  };
  expect_share(0, 0, native_device(1));
  expect_share(1, 1, native_device());
  expect_share(2, 2, native_device(2));
}

TEST_F(ParallelUpdaterTest, AllModelsHaveTheMainOnesValues) {
  ParallelUpdater updater(iterator, optimizer, model, two);
  EXPECT_EQ(updater.models()[0], &model);
  updater.update();
  const Part& second = part_of(updater, 1);
  EXPECT_EQ(second.W.device(), native_device(1));
  EXPECT_THAT(second.W.data().to_device(native_device()),
              IsArray(model.part->W.data()));
  // 3 of 5 examples were the main model's.
  EXPECT_EQ(second.count.item<float>(), 3);
}

TEST_F(ParallelUpdaterTest, InitializesParametersOnceForAll) {
  ParallelUpdater updater(iterator, optimizer, model, two);
  EXPECT_TRUE(model.has_uninitialized_params());
  std::vector<Array> first;
  ParallelUpdaterOptions options;
  options.loss_func = [&](Link& link, std::span<const Variable> arrays) {
    Part& part = *dynamic_cast<WholeModel&>(link).part;
    Variable loss = part.forward(arrays[0]);
    first.push_back(part.W.data().to_device(native_device()).copy());
    return loss;
  };
  ParallelUpdater watched(iterator, optimizer, model, two, options);
  watched.update();
  ASSERT_EQ(first.size(), 2u);
  EXPECT_THAT(first[1], IsArray(first[0]));
}

TEST_F(ParallelUpdaterTest, AMinibatchMayBeSmallerThanTheNumberOfModels) {
  SerialIterator single(data, 1, {.shuffle = false});
  ParallelUpdater updater(single, optimizer, model, two);
  updater.update();
  EXPECT_EQ(part_of(updater, 0).seen.size(), 1u);
  EXPECT_EQ(part_of(updater, 1).seen.size(), 0u);
  EXPECT_THAT(part_of(updater, 1).W.data().to_device(native_device()),
              IsArray(model.part->W.data()));
}

TEST_F(ParallelUpdaterTest, ObservesEachModelUnderItsName) {
  const TempFolder folder;
  ParallelUpdater updater(iterator, optimizer, model, two);
  Trainer trainer(updater, {1, "iteration"}, {.out = folder.file("result")});
  trainer.run();
  EXPECT_TRUE(trainer.observation().contains("main/part/loss"));
  EXPECT_TRUE(trainer.observation().contains("second/part/loss"));
}

// SGD's steps are proportional to the gradients, unlike Adam's.
TEST_F(ParallelUpdaterTest, LossScalesAreTakenOutOfGradients) {
  model.part->W.initialize({3, 2});
  WholeModel scaled = model;
  optimizers::SGD sgd({.lr = 0.1});
  optimizers::SGD other({.lr = 0.1});
  sgd.setup(model);
  other.setup(scaled).set_loss_scale(8);
  SerialIterator same = iterator;
  ParallelUpdater plain(iterator, sgd, model, two);
  ParallelUpdater updater(same, other, scaled, two);
  for (int i = 0; i < 2; ++i) {
    plain.update();
    updater.update();
    EXPECT_THAT(scaled.part->W.data(), IsArray(model.part->W.data()));
  }
}

// Only the second model's part of the first minibatch overflows.
TEST_F(ParallelUpdaterTest, StepsThatADynamicScaleOverflowsAreSkipped) {
  model.part->W.initialize({3, 2});
  const Array before = model.part->W.data().copy();
  data[1].fill(1e25);
  SerialIterator batches(data, 5, {.shuffle = false});
  optimizers::SGD sgd({.lr = 0.1});
  sgd.setup(model).loss_scaling();
  ParallelUpdater updater(batches, sgd, model, two);
  updater.update();
  EXPECT_TRUE(sgd.was_skipped());
  EXPECT_EQ(sgd.t(), 0);
  updater.update();
  EXPECT_FALSE(sgd.was_skipped());
  EXPECT_EQ(sgd.t(), 1);
  EXPECT_EQ(sgd.loss_scale(), std::exp2(1e-3));

  // The same as without the first minibatch.
  WholeModel alone = model;
  alone.part->W.data().assign(before);
  optimizers::SGD other({.lr = 0.1});
  other.setup(alone);
  SerialIterator second(data[{Slice(5, 10)}], 5, {.shuffle = false});
  StandardUpdater single(second, other);
  single.update();
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_THAT(part_of(updater, i).W.data().to_device(native_device()),
                IsClose(alone.part->W.data()));
  }
}

TEST_F(ParallelUpdaterTest, ContinuesWithAllModels) {
  const TempFolder folder;
  ParallelUpdater updater(iterator, optimizer, model, two);
  for (int i = 0; i < 3; ++i) updater.update();
  serializers::save_npz(folder.file("updater"), updater);
  updater.update();

  WholeModel resumed;
  optimizers::Adam other;
  other.setup(resumed);
  SerialIterator again(data, 5, {.shuffle = false});
  ParallelUpdater loaded(again, other, resumed, two);
  serializers::load_npz(folder.file("updater"), loaded);
  EXPECT_EQ(loaded.iteration(), 3);
  loaded.update();
  EXPECT_THAT(resumed.part->W.data(), IsArray(model.part->W.data()));
  EXPECT_THAT(resumed.part->count, IsArray(model.part->count));
}

TEST_F(ParallelUpdaterTest, TheRandomNumbersOfAllDevicesAreSaved) {
  const TempFolder folder;
  ParallelUpdater updater(iterator, optimizer, model, two);
  Trainer trainer(updater, {1, "iteration"}, {.out = folder.file("result")});
  serializers::save_npz(folder.file("trainer"), trainer);
  const array::NpzReader reader(folder.file("trainer"));
  EXPECT_THAT(reader.keys(),
              ::testing::IsSupersetOf(
                  {"_random_states/native:0", "_random_states/native:1"}));
}

TEST_F(ParallelUpdaterTest, TakesModelsOfTheUser) {
  WholeModel mine;
  ParallelUpdater updater(iterator, optimizer,
                          {{"second", mine}, {"main", model}}, two);
  updater.update();
  EXPECT_EQ(updater.models()[1], &mine);
  EXPECT_EQ(mine.part->W.device(), native_device(1));
  EXPECT_THAT(mine.part->W.data().to_device(native_device()),
              IsArray(model.part->W.data()));
}

TEST_F(ParallelUpdaterTest, RejectsModelsAndDevicesThatDoNotFit) {
  WholeModel other;
  const Device host = native_device();
  expect_error({{"main", model}}, {{"first", host}}, "a device named 'main'");
  expect_error({}, {}, "a device named 'main' among the 0 devices");
  expect_error({{"main", model}, {"b", other}},
               {{"main", host}, {"main", host}},
               "unique device names, got 'main' twice");
  expect_error({{"main", model}}, two, "as many models as devices, 2, got 1");
  expect_error({{"main", model}, {"third", other}}, two,
               "a device for the model 'third', got none");
  expect_error({{"main", model}, {"second", model}}, two,
               "got that of 'second' twice");
  expect_error({{"main", other}, {"second", model}}, two,
               "the optimizer's target as the main model");
  EXPECT_THROW(ParallelUpdater(iterator, optimizer, model,
                               {{"main", native_device(1)},
                                {"second", native_device(200)}}),
               DeviceError);
  EXPECT_EQ(model.device(), host);
}

}  // namespace
}  // namespace catena::training
