// Where updaters and evaluators move minibatches when they are not told.

#include "catena/training/target_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/array/copy.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/loss_function.h"
#include "catena/optimizers/sgd.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/training/extensions/evaluator.h"
#include "catena/training/multiprocess_parallel_updater.h"
#include "catena/training/parallel_updater.h"
#include "catena/training/standard_updater.h"

namespace catena::training {
namespace {

using ::catena::testing::error_of;
using extensions::Evaluator;
using iterators::SerialIterator;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsClose;

// The sum of the outputs of a layer whose input size is open.
class DeviceModel : public Chain<DeviceModel> {
 public:
  DeviceModel() : l(this, "l", 2, {.initialW = 1.0}) {}
  Variable forward(const Variable& x) {
    seen.push_back(x.device());
    const Variable loss = functions::sum(l(x));
    report({{"loss", loss}}, this);
    return loss;
  }
  Child<links::Linear> l;
  std::vector<Device> seen;  // of the inputs
};

// Two layers on two devices; takes its input on either.
class Split : public Chain<Split> {
 public:
  Split(Device lower, Device upper)
      : l1(this, "l1", 2), l2(this, "l2", 2), lower_(lower), upper_(upper) {
    l1->to_device(lower);
    l2->to_device(upper);
  }
  Variable forward(const Variable& x) {
    seen.push_back(x.device());
    const Variable h = l1(functions::copy(x, lower_));
    return functions::sum(l2(functions::copy(h, upper_)));
  }
  Child<links::Linear> l1, l2;
  std::vector<Device> seen;

 private:
  Device lower_, upper_;
};

class Untouched : public Link {};

// The device of the parameter is the model's; data are on the host, and the
// host is current.
class TargetDeviceTest : public testing::DeviceTest {
 protected:
  void SetUp() override {
    enter(device());
    set_current_device(native_device());
  }

  Array data =
      array::arange(12, Dtype::kFloat32, native_device()).reshape({6, 2});
  SerialIterator batches{data, 2, {.shuffle = false}};
  SerialIterator once{data, 3, {.repeat = false, .shuffle = false}};
};

std::vector<Device> devices() {
  std::vector<Device> devices = testing::test_devices();
  devices.push_back(native_device(1));
  return devices;
}

Placement placement_of(const Link& link) {
  Placement placement;
  placement.add("main", link);
  return placement;
}

TEST_P(TargetDeviceTest, IsKnownBeforeParametersAreInitialized) {
  EXPECT_EQ(one_device(placement_of(Untouched()), "test"), std::nullopt);
  DeviceModel model;
  EXPECT_EQ(one_device(placement_of(model), "test"), native_device());
  model.to_device(device());
  EXPECT_EQ(one_device(placement_of(model), "test"), device());
  model.l->W.initialize({2, 2});
  EXPECT_EQ(one_device(placement_of(model), "test"), device());
}

TEST_P(TargetDeviceTest, TwoParametersOnDifferentDevicesAreNamed) {
  const Split model(native_device(2), device());
  const Placement placement = placement_of(model);
  EXPECT_TRUE(placement.is_split());
  EXPECT_THAT(
      error_of<DeviceError>([&] { one_device(placement, "Test"); }),
      HasSubstr(
          str("Test: expected to be told a device for minibatches, since the "
              "parameters are on several: main/l1/W on native:2, main/l2/W on ",
              device())));
}

TEST_P(TargetDeviceTest, AnUpdaterMovesMinibatchesToItsModel) {
  DeviceModel model, other;
  model.to_device(device());
  optimizers::SGD optimizer({.lr = 0.01}), other_optimizer({.lr = 0.01});
  optimizer.setup(model);
  other_optimizer.setup(other);
  SerialIterator same = batches;
  StandardUpdater updater(batches, optimizer);
  StandardUpdater on_the_host(same, other_optimizer);
  for (int i = 0; i < 4; ++i) {
    updater.update();
    on_the_host.update();
  }
  EXPECT_EQ(updater.device(), device());
  EXPECT_THAT(model.seen, ::testing::Each(device()));
  EXPECT_EQ(model.l->W.device(), device());
  EXPECT_THAT(model.l->W.data().to_device(native_device()),
              IsClose(other.l->W.data()));
}

TEST_P(TargetDeviceTest, AnUpdaterFollowsAModelThatIsMoved) {
  DeviceModel model;
  optimizers::SGD optimizer;
  optimizer.setup(model);
  StandardUpdater updater(batches, optimizer);
  updater.update();
  model.to_device(device());
  updater.update();
  EXPECT_THAT(model.seen, ElementsAre(native_device(), device()));
}

TEST_P(TargetDeviceTest, AGivenDeviceComesFirst) {
  DeviceModel model;
  model.to_device(device());
  optimizers::SGD optimizer;
  optimizer.setup(model);
  StandardUpdater updater(batches, optimizer, {.device = native_device(3)});
  updater.update();
  EXPECT_THAT(model.seen, ElementsAre(native_device(3)));
  EXPECT_EQ(model.l->W.device(), native_device(3));
}

TEST_P(TargetDeviceTest, WithoutParametersMinibatchesStay) {
  Untouched link;
  link.to_device(device());
  std::vector<Device> seen;
  const auto size = [&](const Variable& x) {
    seen.push_back(x.device());
    report({{"size", x.size()}}, &link);
    return x;
  };
  Evaluator evaluator(once, link, {.eval_func = loss_function_of(size)});
  EXPECT_EQ(evaluator()["main/size"].as_double(), 6);
  EXPECT_EQ(evaluator.device(), std::nullopt);
  EXPECT_THAT(seen, ElementsAre(native_device(), native_device()));
}

TEST_P(TargetDeviceTest, ASplitModelNeedsADeviceAndStaysSplit) {
  const Device lower = native_device(2);
  Split model(lower, device());
  optimizers::SGD optimizer;
  optimizer.setup(model);
  StandardUpdater untold(batches, optimizer);
  EXPECT_THAT(error_of<DeviceError>([&] { untold.update(); }),
              HasSubstr("StandardUpdater: "));
  EXPECT_EQ(batches.current_position(), 0);  // no minibatch is lost
  EXPECT_THAT(error_of<DeviceError>([&] { Evaluator(once, model)(); }),
              HasSubstr("Evaluator: "));
  EXPECT_TRUE(model.seen.empty());

  StandardUpdater updater(batches, optimizer, {.device = device()});
  updater.update();
  Evaluator(once, model, {.device = lower})();
  EXPECT_THAT(model.seen, ElementsAre(device(), lower, lower));
  EXPECT_EQ(model.l1->W.device(), lower);
  EXPECT_EQ(model.l2->W.device(), device());
}

// Takes its minibatches by itself, for two models.
class OwnUpdater : public StandardUpdater {
 public:
  using StandardUpdater::StandardUpdater;
  std::vector<Device> seen;

 protected:
  void update_core() override {
    seen.push_back(next_batch(main_iterator())[0].device());
    const auto batch = take_batch(main_iterator());
    seen.push_back(converter()(batch, StandardUpdater::device())[0].device());
  }
};

TEST_P(TargetDeviceTest, AnUpdaterOfOnesOwnHasTheSameDefault) {
  DeviceModel gen, dis;
  gen.to_device(device());
  dis.to_device(device());
  optimizers::SGD for_gen, for_dis;
  for_gen.setup(gen);
  for_dis.setup(dis);
  OwnUpdater updater({{"main", &batches}},
                     {{"gen", &for_gen}, {"dis", &for_dis}});
  updater.update();
  EXPECT_THAT(updater.seen, ElementsAre(device(), device()));

  dis.to_device(native_device(2));
  OwnUpdater apart({{"main", &batches}},
                   {{"gen", &for_gen}, {"dis", &for_dis}});
  EXPECT_THAT(error_of<DeviceError>([&] { apart.update(); }),
              HasSubstr(str("dis/l/W on native:2, gen/l/W on ", device())));
}

class OwnEvaluator : public Evaluator {
 public:
  using Evaluator::Evaluator;
  std::optional<Device> seen;

 protected:
  Observation evaluate() override {
    seen = Evaluator::device();
    return Evaluator::evaluate();
  }
};

TEST_P(TargetDeviceTest, AnEvaluatorMovesMinibatchesToItsTarget) {
  DeviceModel model;
  model.to_device(device());
  OwnEvaluator evaluator(once, model);
  EXPECT_EQ(evaluator()["main/loss"].as_double(), 66);
  EXPECT_EQ(evaluator.seen, device());
  EXPECT_THAT(model.seen, ElementsAre(device(), device()));
  model.to_device(native_device());
  EXPECT_EQ(evaluator()["main/loss"].as_double(), 66);
  EXPECT_EQ(evaluator.seen, native_device());
}

TEST_P(TargetDeviceTest, ParallelModelsStayWhereTheyAre) {
  DeviceModel model, second;
  model.to_device(device());
  second.to_device(native_device(2));
  optimizers::SGD optimizer;
  optimizer.setup(model);
  ParallelUpdater updater(batches, optimizer,
                          {{"main", model}, {"second", second}});
  updater.update();
  EXPECT_THAT(model.seen, ElementsAre(device()));
  EXPECT_THAT(second.seen, ElementsAre(native_device(2)));
}

TEST_P(TargetDeviceTest, ThreadsUseTheModelsDeviceAndOthersOfItsKind) {
  DeviceModel model;
  model.to_device(device());
  optimizers::SGD optimizer;
  optimizer.setup(model);
  SerialIterator second = batches;
  const MultiprocessParallelUpdater one({&batches}, optimizer, model);
  EXPECT_EQ(model.l->device(), device());
  if (!device().is_native()) return;  // there may be no other GPU
  MultiprocessParallelUpdater two({&batches, &second}, optimizer, model);
  const auto used = two.devices();
  EXPECT_THAT(used, Contains(native_device(0)));
  EXPECT_THAT(used, Contains(native_device(1)));
  two.update();
  EXPECT_EQ(model.l->W.device(), device());
  EXPECT_THAT(model.seen, ::testing::Each(device()));

  Split split(native_device(2), device());
  optimizers::SGD other;
  other.setup(split);
  EXPECT_THAT(error_of<DeviceError>([&] {
                MultiprocessParallelUpdater({&batches}, other, split);
              }),
              HasSubstr("MultiprocessParallelUpdater: "));
}

INSTANTIATE_TEST_SUITE_P(TargetDevice, TargetDeviceTest,
                         ::testing::ValuesIn(devices()), testing::device_name);

}  // namespace
}  // namespace catena::training
