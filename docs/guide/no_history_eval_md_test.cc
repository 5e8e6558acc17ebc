// The code of no_history_eval.md: compiled, run, and compared with the page.

#include "catena/docs/guide/no_history_eval_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using ::testing::Not;

double accuracy(Sequential& model, const datasets::TupleDataset& data) {
  const auto no_graph = no_backprop_mode();
  const auto test_mode = using_config(&Config::train, false);
  iterators::SerialIterator batches(data, 100,
                                    {.repeat = false, .shuffle = false});
  double right = 0;
  while (const auto batch = batches.next()) {
    const auto arrays = dataset::concat_examples(*batch);
    const Variable y = model(arrays[0]);
    right += F::accuracy(y, arrays[1]).item<double>() *
             static_cast<double>(batch->size());
  }
  return right / static_cast<double>(data.size());
}

Variable extract(Sequential& features, const Array& x) {
  const auto no_graph = no_backprop_mode();
  const auto test_mode = using_config(&Config::train, false);
  return features(x);
}

Array gradient_by_input(Sequential& model, const Array& image, const Array& t) {
  const auto graph = force_backprop_mode();
  const Variable x(image);
  return grad({F::softmax_cross_entropy(model(x), t)}, {x})[0].array();
}

// Points and the quadrants that they are in.
struct Quadrants {
  explicit Quadrants(int64_t count)
      : x(xp::random::uniform(-1, 1, {count, 2}, Dtype::kFloat32)),
        t((xp::greater(x.T()[0], 0).astype(Dtype::kInt32) * 2 +
           xp::greater(x.T()[1], 0).astype(Dtype::kInt32))) {}

  Array x, t;
};

struct Seeded {
  Seeded() { xp::random::seed(0); }
};

class NoHistoryEvalPageTest : public ::testing::Test, private Seeded {
 protected:
  const Quadrants data{250};
  const Array x = data.x;
  const Array t = data.t;
};

TEST_F(NoHistoryEvalPageTest, EvaluatesInAScope) {
  Sequential model(L::Linear(2, 4, {.initialW = 0}));
  // Scores of the quadrants by the signs of the coordinates.
  model.at<L::Linear>(0).W.array().assign(
      xp::array({{-1, -1}, {-1, 1}, {1, -1}, {1, 1}}));
  EXPECT_EQ(accuracy(model, datasets::TupleDataset(x, t)), 1);
  EXPECT_TRUE(config().train);
  EXPECT_TRUE(config().enable_backprop);

  ::testing::internal::CaptureStdout();
  Variable y;
  {
    const auto no_graph = no_backprop_mode();
    y = model(x);
  }
  std::cout << (y.creator_node() == nullptr) << '\n';  // 1: a value, no history
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "1\n");
  F::sum(y).backward();
  EXPECT_FALSE(model.params()[0].grad().defined());
}

TEST_F(NoHistoryEvalPageTest, TrainAndEnableBackpropAreIndependent) {
  const auto no_graph = no_backprop_mode();
  const Array ones = xp::ones({100}, Dtype::kFloat32);
  EXPECT_THAT(F::dropout(ones).array(), Not(IsArray(ones)));
  const auto test_mode = using_config(&Config::train, false);
  EXPECT_THAT(F::dropout(ones).array(), IsArray(ones));
  bool recorded = false;
  std::thread([&] { recorded = config().enable_backprop; }).join();
  EXPECT_TRUE(recorded);
}

TEST_F(NoHistoryEvalPageTest, TrainsOnTopOfAFixedNetwork) {
  Sequential features(L::Linear(2, 20), L::BatchNormalization(20), F::relu);
  L::Linear head(20, 4);
  const Array W = features.at<L::Linear>(0).W.array().copy();
  const Array mean =
      features.at<L::BatchNormalization>(1).persistent("avg_mean").copy();
  EXPECT_EQ(extract(features, x).creator_node(), nullptr);

  optimizers::Adam optimizer({.alpha = 0.01});
  optimizer.setup(head);
  for (int i = 0; i < 200; ++i) {
    optimizer.update([&] {
      return F::softmax_cross_entropy(head(extract(features, x)), t);
    });
  }
  EXPECT_GT(F::accuracy(head(extract(features, x)), t).item<float>(), 0.9);
  EXPECT_THAT(features.at<L::Linear>(0).W.array(), IsArray(W));
  EXPECT_FALSE(features.at<L::Linear>(0).W.grad().defined());
  EXPECT_THAT(features.at<L::BatchNormalization>(1).persistent("avg_mean"),
              IsArray(mean));
}

TEST_F(NoHistoryEvalPageTest, ForcesRecordingWithin) {
  Sequential model(L::Linear(2, 4));
  const auto no_graph = no_backprop_mode();
  EXPECT_GT(xp::sum(xp::abs(gradient_by_input(model, x, t))).item<float>(), 0);
  EXPECT_FALSE(config().enable_backprop);
}

TEST(NoHistoryEvalPageBlocksTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/no_history_eval.md",
                                       "docs/guide/no_history_eval_md_test.cc",
                                       6);
}

}  // namespace
