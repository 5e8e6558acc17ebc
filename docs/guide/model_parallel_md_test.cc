// The code of model_parallel.md: compiled, run, and compared with the page.

#include "catena/docs/guide/model_parallel_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using catena::testing::IsArray;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Halves : public Chain<Halves> {
 public:
  Halves(int64_t units, int64_t classes, Device device0, Device device1)
      : lower(this, "lower", units),
        upper(this, "upper", classes),
        device1_(device1) {
    lower->to_device(device0);
    upper->to_device(device1);
  }

  // x is on device0, the result on device1.
  Variable forward(const Variable& x) {
    return upper(F::copy(F::relu(lower(x)), device1_));
  }

 private:
  Child<L::Linear> lower, upper;
  Device device1_;
};

class Perceptron : public Chain<Perceptron> {
 public:
  Perceptron(int64_t units, int64_t out)
      : l1(this, "l1", units), l2(this, "l2", out) {}

  Variable forward(const Variable& x) { return l2(F::relu(l1(x))); }

 private:
  Child<L::Linear> l1, l2;
};

class SideBySide : public Chain<SideBySide> {
 public:
  SideBySide(int64_t units, int64_t classes, Device device0, Device device1)
      : first0(this, "first0", units / 2, units),
        first1(this, "first1", units / 2, units),
        second0(this, "second0", units / 2, classes),
        second1(this, "second1", units / 2, classes),
        device0_(device0),
        device1_(device1) {
    first0->to_device(device0);
    second0->to_device(device0);
    first1->to_device(device1);
    second1->to_device(device1);
  }

  // x and the result are on device0.
  Variable forward(const Variable& x) {
    const Variable z0 = first0(x);
    const Variable z1 = first1(F::copy(x, device1_));
    const Variable h0 = F::relu(z0 + F::copy(z1, device0_));
    const Variable h1 = F::relu(z1 + F::copy(z0, device1_));
    return second0(h0) + F::copy(second1(h1), device0_);
  }

 private:
  Child<Perceptron> first0, first1, second0, second1;
  Device device0_, device1_;
};

// The devices of parameters and gradients follow the names: 0 or 1.
void expect_devices(const Link& model, Device device0, Device device1) {
  for (const auto& [path, param] : model.namedparams()) {
    const bool is_on_1 = path.find("1/l") != std::string::npos;
    EXPECT_EQ(param.device(), is_on_1 ? device1 : device0) << path;
    EXPECT_EQ(param.grad().device(), is_on_1 ? device1 : device0) << path;
  }
}

class ModelParallelPageTest : public ::testing::Test {
 protected:
  ModelParallelPageTest() { array::random::seed(1); }

  std::pair<datasets::TupleDataset, datasets::TupleDataset> data_ =
      datasets::get_digits();
  iterators::SerialIterator train_iter{data_.first, 50};
};

TEST_F(ModelParallelPageTest, CopiesAreDifferentiable) {
  const Device device0 = Device::parse("native:0");  // "cuda:0"
  const Device device1 = Device::parse("native:1");  // "cuda:1"

  const Variable x(array::array({1.0f, 2.0f}));
  const Variable y = F::square(F::copy(x, device1));  // computed on device1
  y.set_grad(array::ones_like(y.data()));
  y.backward();
  const Array gx = x.grad();  // 2, 4; on device0
  EXPECT_EQ(y.device(), device1);
  EXPECT_EQ(gx.device(), device0);
  EXPECT_THAT(gx, IsArray(array::array({2.0f, 4.0f})));
}

TEST_F(ModelParallelPageTest, ALossIsWhereItsInputsAre) {
  const Device device0 = native_device(0), device1 = native_device(1);
  L::Classifier model(Halves(20, 10, device0, device1));
  optimizers::Adam optimizer;
  optimizer.setup(model);
  const auto batch = dataset::concat_examples(*train_iter.next());
  const Variable t = as_variable(batch[1].to_device(device1));
  optimizer.update(model, as_variable(batch[0]), t);
  EXPECT_EQ(model.loss.device(), device1);
  for (const auto& [path, param] : model.namedparams()) {
    EXPECT_EQ(param.device(),
              path.starts_with("/predictor/lower") ? device0 : device1);
  }
  EXPECT_THAT([&] { model(batch[0], batch[1]); },
              ThrowsMessage<DeviceError>(HasSubstr("one device")));
}

TEST_F(ModelParallelPageTest, TwoDevicesTrainOneNetwork) {
  const Device device0 = native_device(0), device1 = native_device(1);
  L::Classifier model(SideBySide(80, 10, device0, device1));
  optimizers::Adam optimizer;
  optimizer.setup(model);
  while (train_iter.epoch() < 10) {
    const auto batch =
        dataset::concat_examples(*train_iter.next(), {.device = device0});
    optimizer.update(model, batch[0], batch[1]);
  }
  expect_devices(*model.predictor, device0, device1);

  const auto all = dataset::concat_examples(data_.second[Slice()]);
  model(all[0], all[1]);
  EXPECT_GT(model.accuracy.item<double>(), 0.9);

  model.to_device(device1);
  EXPECT_THROW(model(all[0], all[1]), DeviceError);
}

TEST_F(ModelParallelPageTest, TrainersLeaveTheModelWhereItIs) {
  const Device device0 = native_device(1), device1 = native_device(0);
  L::Classifier model(SideBySide(20, 10, device0, device1));
  optimizers::Adam optimizer;
  optimizer.setup(model);
  training::StandardUpdater updater(train_iter, optimizer, {.device = device0});
  const catena::testing::TempFolder folder;
  training::Trainer trainer(updater, {5, "epoch"}, {.out = folder.path()});
  iterators::SerialIterator test_iter(data_.second, 50,
                                      {.repeat = false, .shuffle = false});
  trainer.extend(extensions::Evaluator(test_iter, model, {.device = device0}));
  trainer.run();
  EXPECT_EQ(model.loss.device(), device0);
  expect_devices(*model.predictor, device0, device1);
  EXPECT_GT(trainer.observation()["validation/main/accuracy"].as_double(), 0.3);
  training::StandardUpdater untold(train_iter, optimizer);
  EXPECT_THAT([&] { untold.update(); },
              ThrowsMessage<DeviceError>(
                  HasSubstr("main/predictor/first0/l1/W on native:1, "
                            "main/predictor/first1/l1/W on native:0")));
}

TEST_F(ModelParallelPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/model_parallel.md",
                                       "docs/guide/model_parallel_md_test.cc",
                                       7);
}

}  // namespace
