#include "catena/training/multiprocess_parallel_updater.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "catena/array/core/backend.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/activation/tanh.h"
#include "catena/functions/loss/mean_squared_error.h"
#include "catena/functions/math/operators.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/sgd.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/training/trainer.h"

namespace catena::training {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using datasets::TupleDataset;
using iterators::SerialIterator;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr int64_t kPart = 4;

class FailingModel : public Chain<FailingModel> {
 public:
  FailingModel() : l1(this, "l1", 5), l2(this, "l2", 1) {}

  Variable forward(const Variable& x, const Variable& t) {
    if (fails) raise<ValueError>("the caller's thread fails");
    const Variable loss =
        functions::mean_squared_error(l2(functions::tanh(l1(x))), t);
    report({{"loss", loss}}, this);
    return loss;
  }

  Child<links::Linear> l1, l2;
  static inline thread_local bool fails = false;
};

// Rows [begin, begin + n) of deterministic data.
struct Rows {
  Rows(int64_t begin, int64_t n) {
    array::random::Generator data(3, native_device());
    const Slice part(begin, begin + n);
    x = data.uniform(-1, 1, {64, 3}, Dtype::kFloat32)[{part}];
    t = data.uniform(-1, 1, {64, 1}, Dtype::kFloat32)[{part}];
  }
  Array x, t;
};

TupleDataset rows(int64_t begin, int64_t n) {
  const Rows part(begin, n);
  return TupleDataset(part.x, part.t);
}

SerialIterator in_order(const TupleDataset& data, int64_t batch_size,
                        bool repeat = true) {
  return SerialIterator(data, batch_size, {.repeat = repeat, .shuffle = false});
}

TEST(MultiprocessParallelUpdaterTest, DoesTheStepOfTheSumOfAllLosses) {
  for (const int64_t devices : {1, 2, 3}) {
    SCOPED_TRACE(devices);
    std::vector<SerialIterator> parts;
    for (int64_t i = 0; i < devices; ++i) {
      parts.push_back(in_order(rows(i * kPart, kPart), kPart));
    }
    std::vector<dataset::Iterator*> pointers;
    for (SerialIterator& part : parts) pointers.push_back(&part);
    array::random::seed(1);
    FailingModel model;
    optimizers::SGD optimizer({.lr = 0.01});
    optimizer.setup(model);
    MultiprocessParallelUpdater updater(pointers, optimizer, model);
    for (int i = 0; i < devices; ++i) {
      EXPECT_THAT(updater.devices(), Contains(native_device(i)));
    }
    for (int step = 0; step < 4; ++step) updater.update();
    EXPECT_EQ(updater.iteration(), 4);
    EXPECT_EQ(updater.epoch(), 4);
    EXPECT_EQ(optimizer.t(), 4);
    EXPECT_EQ(optimizer.epoch(), 4);

    // The sum of the means over n parts is n times the overall mean.
    SerialIterator whole = in_order(rows(0, devices * kPart), devices * kPart);
    array::random::seed(1);
    FailingModel alone;
    optimizers::SGD one_optimizer({.lr = 0.01 * static_cast<double>(devices)});
    one_optimizer.setup(alone);
    StandardUpdater one_updater(whole, one_optimizer);
    for (int step = 0; step < 4; ++step) one_updater.update();

    const auto expected = alone.namedparams();
    const auto actual = model.namedparams();
    for (size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE(expected[i].first);
      EXPECT_EQ(actual[i].second.device(), native_device(0));
      EXPECT_THAT(
          actual[i].second.data(),
          IsClose(expected[i].second.data(), {.rtol = 1e-5, .atol = 1e-6}));
    }
  }
}

// The parameters of a model after two steps on two devices.
std::vector<Array> trained(const Rows& second_part,
                           const std::optional<LossScalingOptions>& scaling) {
  SerialIterator first = in_order(rows(0, 2 * kPart), kPart);
  SerialIterator second =
      in_order(TupleDataset(second_part.x, second_part.t), kPart);
  array::random::seed(1);
  FailingModel model;
  optimizers::SGD optimizer({.lr = 0.01});
  optimizer.setup(model);
  if (scaling) optimizer.loss_scaling(*scaling);
  MultiprocessParallelUpdater updater({&first, &second}, optimizer, model);
  for (int step = 0; step < 2; ++step) updater.update();
  std::vector<Array> values;
  for (const Parameter& param : model.params()) values.push_back(param.data());
  EXPECT_EQ(optimizer.t(), optimizer.was_skipped() ? 1 : 2);
  return values;
}

TEST(MultiprocessParallelUpdaterTest, LossScalesAreTakenOutOfGradients) {
  const Rows second(2 * kPart, 2 * kPart);
  const auto expected = trained(second, std::nullopt);
  const auto scaled = trained(second, LossScalingOptions{.scale = 8.0});
  const auto dynamic = trained(second, LossScalingOptions{});
  ASSERT_EQ(scaled.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_THAT(scaled[i], IsArray(expected[i]));
    EXPECT_THAT(dynamic[i], IsArray(expected[i]));
  }
}

// In the second step of one of two devices; both then skip the step.
TEST(MultiprocessParallelUpdaterTest, StepsThatOverflowAreSkipped) {
  Rows second(2 * kPart, 2 * kPart);
  second.t[2 * kPart - 1].fill(INFINITY);
  for (const Array& value : trained(second, LossScalingOptions{})) {
    EXPECT_TRUE(std::isfinite(array::sum(value).item<double>()));
  }
  const auto without = trained(second, std::nullopt);
  EXPECT_FALSE(std::isfinite(array::sum(without[0]).item<double>()));
}

TEST(MultiprocessParallelUpdaterTest, OnlyTheFirstDeviceReports) {
  SerialIterator first = in_order(rows(0, kPart), kPart);
  SerialIterator second = in_order(rows(kPart, kPart), kPart);
  FailingModel model;
  optimizers::SGD optimizer({.lr = 0.0});
  optimizer.setup(model);
  MultiprocessParallelUpdater updater({&first, &second}, optimizer, model);
  Trainer trainer(updater, {1, "iteration"});
  trainer.run();
  const Rows seen(0, kPart);
  const Variable loss = model.forward(Variable(seen.x), Variable(seen.t));
  EXPECT_EQ(trainer.observation()["main/loss"].as_double(),
            loss.data().item<double>());
}

TEST(MultiprocessParallelUpdaterTest, AThreadsFailureReachesTheCaller) {
  SerialIterator first = in_order(rows(0, 8), kPart);
  SerialIterator second = in_order(rows(8, 8), kPart, /*repeat=*/false);
  FailingModel model;
  optimizers::SGD optimizer;
  optimizer.setup(model);
  MultiprocessParallelUpdater updater({&first, &second}, optimizer, model);
  updater.update();
  updater.update();
  EXPECT_THAT(error_of<ValueError>([&] { updater.update(); }),
              HasSubstr("but iterator 1 has ended"));
  EXPECT_EQ(updater.iteration(), 2);
}

TEST(MultiprocessParallelUpdaterTest, TheCallersFailureEndsTheThreads) {
  SerialIterator first = in_order(rows(0, 8), kPart, /*repeat=*/false);
  SerialIterator second = in_order(rows(8, 8), kPart);
  FailingModel model;
  optimizers::SGD optimizer;
  optimizer.setup(model);
  MultiprocessParallelUpdater updater({&first, &second}, optimizer, model);
  updater.update();
  updater.update();
  EXPECT_THAT(error_of<ValueError>([&] { updater.update(); }),
              HasSubstr("has ended"));
  updater.finalize();  // returns
}

// The other threads wait for gradients of the step that failed.
TEST(MultiprocessParallelUpdaterTest, GoesOnAfterAFailureOfTheCallersStep) {
  SerialIterator first = in_order(rows(0, 8), kPart);
  SerialIterator second = in_order(rows(8, 8), kPart);
  FailingModel model;
  optimizers::SGD optimizer;
  optimizer.setup(model);
  MultiprocessParallelUpdater updater({&first, &second}, optimizer, model);
  updater.update();
  FailingModel::fails = true;
  EXPECT_THAT(error_of<ValueError>([&] { updater.update(); }),
              HasSubstr("the caller's thread fails"));
  FailingModel::fails = false;
  updater.update();
  EXPECT_EQ(updater.iteration(), 2);
}

TEST(MultiprocessParallelUpdaterTest, BadArgumentsAreErrors) {
  SerialIterator first = in_order(rows(0, kPart), kPart);
  SerialIterator second = in_order(rows(kPart, kPart), kPart);
  FailingModel model;
  FailingModel other;
  optimizers::SGD optimizer;
  optimizer.setup(model);
  const auto make = [&](const std::vector<dataset::Iterator*>& iterators,
                        const FailingModel& of,
                        const std::vector<Device>& devices) {
    MultiprocessParallelUpdater(iterators, optimizer, of, {.devices = devices});
  };
  EXPECT_THAT(error_of<ValueError>([&] { make({}, model, {}); }),
              HasSubstr("expected iterators and as many devices, got 0 and 0"));
  EXPECT_THAT(error_of<ValueError>([&] {
                make({&first, &second}, model, {native_device(1)});
              }),
              HasSubstr("got 2 and 1"));
  EXPECT_THAT(error_of<ValueError>([&] {
                make({&first, nullptr}, model, {});
              }),
              HasSubstr("got a null pointer"));
  EXPECT_THAT(
      error_of<ValueError>([&] {
        make({&first, &second}, model, {native_device(1), native_device(1)});
      }),
      HasSubstr("expected different devices of the same "
                "kind, got native:1 and native:1"));
  EXPECT_THAT(error_of<ValueError>([&] {
                make({&first, &second}, other, {});
              }),
              HasSubstr("expected the optimizer's target as the model"));
}

TEST(MultiprocessParallelUpdaterTest, NcclIsThereWhereCudaIs) {
  EXPECT_EQ(MultiprocessParallelUpdater::available(),
            backend_table(Backend::kCuda) != nullptr);
}

}  // namespace
}  // namespace catena::training
