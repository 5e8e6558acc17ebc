// The code of data_parallel.md: compiled, run, and compared with the page.

#include "catena/docs/guide/data_parallel_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;
using ::testing::HasSubstr;
using ::testing::Not;

class MLP : public Chain<MLP> {
 public:
  MLP(int64_t in, int64_t units, int64_t classes)
      : l1(this, "l1", in, units), l2(this, "l2", units, classes) {}

  Variable forward(const Variable& x) { return l2(F::relu(l1(x))); }

 private:
  Child<L::Linear> l1, l2;
};

class DataParallelPageTest : public ::testing::Test {
 protected:
  DataParallelPageTest() { array::random::seed(1); }

  // What one device computes from the same weights and minibatches.
  std::vector<Array> trained_on_one_device() const {
    iterators::SerialIterator train_iter(data_.first, 50, {.seed = 0});
    array::random::seed(1);
    L::Classifier model(MLP(64, 50, 10));
    optimizers::SGD optimizer({.lr = 0.1});
    optimizer.setup(model);
    while (train_iter.epoch() < 20) {
      const auto batch = dataset::concat_examples(*train_iter.next());
      optimizer.update(model, batch[0], batch[1]);
    }
    return arrays_of(model);
  }
  static std::vector<Array> arrays_of(const Link& model) {
    std::vector<Array> arrays;
    for (const Parameter& param : model.params()) {
      arrays.push_back(param.data().to_device(native_device()));
    }
    return arrays;
  }
  static void expect_close(const std::vector<Array>& actual,
                           const std::vector<Array>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) {
      EXPECT_THAT(actual[i],
                  IsClose(expected[i], {.rtol = 1e-2, .atol = 1e-3}));
    }
  }

  catena::testing::TempFolder folder_;
  const std::string out = folder_.path();
  std::pair<datasets::TupleDataset, datasets::TupleDataset> data_ =
      datasets::get_digits();
  iterators::SerialIterator train_iter{data_.first, 50, {.seed = 0}};
  iterators::SerialIterator test_iter{
      data_.second, 50, {.repeat = false, .shuffle = false}};
};

TEST_F(DataParallelPageTest, AnUpdaterDrivesTwoDevices) {
  ::testing::internal::CaptureStdout();
  const Device device0 = Device::parse("native:0");  // "cuda:0"
  const Device device1 = Device::parse("native:1");  // "cuda:1"
  L::Classifier model(MLP(64, 50, 10));
  optimizers::SGD optimizer({.lr = 0.1 / 2});
  optimizer.setup(model);

  training::ParallelUpdater updater(train_iter, optimizer, model,
                                    {{"main", device0}, {"second", device1}});
  training::Trainer trainer(updater, {20, "epoch"}, {.out = out});
  trainer.extend(extensions::Evaluator(test_iter, model));
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "second/loss", "validation/main/accuracy"}));
  trainer.run();
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              HasSubstr("second/loss"));
  EXPECT_GT(trainer.observation()["validation/main/accuracy"].as_double(), 0.9);
  EXPECT_LT(trainer.observation()["second/loss"].as_double(), 0.5);
  EXPECT_EQ(updater.models()[1]->params()[0].device(), device1);
  // The learning rate makes up for the sum of two means.
  expect_close(arrays_of(model), trained_on_one_device());
}

TEST_F(DataParallelPageTest, ALoopDoesTheSame) {
  const Device device0 = native_device(0), device1 = native_device(1);
  L::Classifier model_0(MLP(64, 50, 10));
  L::Classifier model_1 = model_0;  // with parameters of its own
  model_0.to_device(device0);
  model_1.to_device(device1);
  optimizers::SGD optimizer({.lr = 0.1 / 2});
  optimizer.setup(model_0);
  EXPECT_FALSE(model_0.params()[0].is_same(model_1.params()[0]));

  while (train_iter.epoch() < 20) {
    const dataset::Batch batch = *train_iter.next();
    const auto half_0 =
        dataset::concat_examples(batch.share(0, 2), {.device = device0});
    const auto half_1 =
        dataset::concat_examples(batch.share(1, 2), {.device = device1});

    const Variable loss_0 = model_0(half_0[0], half_0[1]);
    const Variable loss_1 = model_1(half_1[0], half_1[1]);
    model_0.cleargrads();
    model_1.cleargrads();
    loss_0.backward();
    loss_1.backward();

    model_0.addgrads(model_1);
    optimizer.update();
    model_1.copyparams(model_0);
  }
  expect_close(arrays_of(model_0), trained_on_one_device());
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_THAT(arrays_of(model_1)[i], IsArray(arrays_of(model_0)[i]));
  }
}

TEST_F(DataParallelPageTest, CopiesOfLazyModelsDrawTheirOwnWeights) {
  L::Linear lazy(3);
  L::Linear copied = lazy;
  const Array x = array::ones({1, 2}, Dtype::kFloat32);
  EXPECT_THAT(copied(x).data(), Not(IsArray(lazy(x).data())));

  L::Linear sized(2, 3);
  L::Linear alias = copy(sized);
  sized.W.data().fill(5);
  EXPECT_THAT(alias.W.data(), IsArray(sized.W.data()));
}

TEST_F(DataParallelPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page(
      "docs/guide/data_parallel.md", "docs/guide/data_parallel_md_test.cc", 5);
}

}  // namespace
