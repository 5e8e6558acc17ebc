// The code of single_gpu.md: compiled, run, and compared with the page.

#include "catena/docs/guide/single_gpu_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using catena::testing::IsArray;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class MLP : public Chain<MLP> {
 public:
  MLP(int64_t units, int64_t classes)
      : l1(this, "l1", units), l2(this, "l2", classes) {}

  Variable forward(const Variable& x) { return l2(F::relu(l1(x))); }

 private:
  Child<L::Linear> l1, l2;
};

void expect_device(const Link& link, Device device) {
  EXPECT_EQ(link.device(), device);
  for (const auto& [path, param] : link.namedparams()) {
    EXPECT_EQ(param.device(), device) << path;
  }
}

class SingleGpuPageTest : public ::testing::Test {
 protected:
  SingleGpuPageTest() { array::random::seed(1); }

  catena::testing::TempFolder folder_;
  const std::string out = folder_.path();
};

TEST_F(SingleGpuPageTest, ALoopTrainsOnADevice) {
  const Device device = Device::parse("native:1");  // "cuda:0"
  L::Classifier model(MLP(50, 10));
  model.to_device(device);
  optimizers::Adam optimizer;
  optimizer.setup(model);

  const auto [train, test] = datasets::get_digits();
  iterators::SerialIterator train_iter(train, 50);
  while (train_iter.epoch() < 10) {
    const auto batch =
        dataset::concat_examples(*train_iter.next(), {.device = device});
    optimizer.update(model, batch[0], batch[1]);
  }
  expect_device(model, device);
  EXPECT_EQ(model.loss.device(), device);

  const auto test_mode = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  const auto all = dataset::concat_examples(test[Slice()], {.device = device});
  model(all[0], all[1]);
  const double accuracy = model.accuracy.item<double>();  // waits for the GPU
  EXPECT_GT(accuracy, 0.9);

  serializers::save_npz(out + "/model.npz", model);
  L::Classifier loaded(MLP(50, 10));
  serializers::load_npz(out + "/model.npz", loaded);  // on native:0
  expect_device(loaded, native_device());
  const Array x = all[0].to_device(native_device());
  EXPECT_THAT(
      loaded.predictor(x).data(),
      IsArray(model.predictor(all[0]).data().to_device(native_device())));

  EXPECT_THAT([&] { model.predictor(x); },
              ThrowsMessage<DeviceError>(
                  HasSubstr("linear: expected inputs on one device, got "
                            "native:0 and native:1")));
  EXPECT_THAT([&] { model(x, all[1]); },
              ThrowsMessage<DeviceError>(HasSubstr(
                  "in link /predictor/l1: linear: expected inputs on one "
                  "device, got native:0 and native:1")));
}

TEST_F(SingleGpuPageTest, ATrainerMovesModelAndMinibatches) {
  const Device device = native_device(1);
  const auto [train, test] = datasets::get_digits();
  iterators::SerialIterator train_iter(train, 50);
  iterators::SerialIterator test_iter(test, 50,
                                      {.repeat = false, .shuffle = false});
  L::Classifier model(MLP(50, 10));
  optimizers::Adam optimizer;
  optimizer.setup(model);

  training::StandardUpdater updater(train_iter, optimizer, {.device = device});
  training::Trainer trainer(updater, {3, "epoch"}, {.out = out});
  trainer.extend(extensions::Evaluator(test_iter, model));
  trainer.extend(extensions::LogReport());
  trainer.run();
  expect_device(model, device);
  EXPECT_GT(trainer.observation()["validation/main/accuracy"].as_double(), 0.6);

  training::StandardUpdater async(
      train_iter, optimizer, {.converter = dataset::ConcatWithAsyncTransfer()});
  async.update();
  EXPECT_EQ(async.iteration(), 1);

  const DeviceScope scope(device);
  L::Classifier here(MLP(50, 10));  // on the device from the start
  here.predictor(array::zeros({1, 64}, Dtype::kFloat32));
  expect_device(here, device);
}

TEST_F(SingleGpuPageTest, AnOptimizerMayBeSetUpBeforeTheMove) {
  const Device device = native_device(1);
  L::Linear link(2, 1);
  optimizers::Adam optimizer;
  optimizer.setup(link);
  const auto loss = [&](Device where) {
    return F::sum(link(array::ones({1, 2}, Dtype::kFloat32, where)));
  };
  optimizer.update(loss, native_device());  // makes its state
  link.to_device(device);
  optimizer.update(loss, device);
  expect_device(link, device);
}

TEST_F(SingleGpuPageTest, WeightsAreTheSameOnEveryDevice) {
  const auto weights = [](Device device) {
    const DeviceScope scope(device);
    array::random::seed(3);
    return L::Linear(4, 2).W.data().to_device(native_device());
  };
  EXPECT_THAT(weights(native_device(1)), IsArray(weights(native_device())));
}

TEST_F(SingleGpuPageTest, PrecisionIsASetting) {
  array::set_float32_precision(array::Float32Precision::kTf32);
  EXPECT_EQ(array::get_float32_precision(), array::Float32Precision::kTf32);
  array::set_float32_precision(array::Float32Precision::kExact);
}

TEST_F(SingleGpuPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/single_gpu.md",
                                       "docs/guide/single_gpu_md_test.cc", 9);
}

}  // namespace
