// The code of train_test_mode.md: compiled, run, and compared with the page.

#include "catena/docs/guide/train_test_mode_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;
using ::testing::Not;

Variable always_dropout(const Variable& x) {
  const Array mask =
      xp::random::bernoulli(0.5, x.shape(), x.dtype(), x.device());
  return x * (mask * 2);
}

Variable dropout(const Variable& x) {
  if (!config().train) return x;
  const Array mask =
      xp::random::bernoulli(0.5, x.shape(), x.dtype(), x.device());
  return x * (mask * 2);
}

void expect_zeros_and_twos(const Array& y) {
  EXPECT_THAT(y * (y - 2.0), IsArray(xp::zeros_like(y)));
  EXPECT_NEAR(y.mean().item<double>(), 1, 0.2);
}

TEST(TrainTestModePageTest, AFunctionAsksForTheMode) {
  xp::random::seed(0);
  ::testing::internal::CaptureStdout();
  const Variable x(xp::ones({1000}));
  const Variable y = dropout(x);  // zeros and twos
  {
    const auto test_mode = using_config(&Config::train, false);
    const Variable z = dropout(x);      // x
    std::cout << z.is_same(x) << '\n';  // 1
  }
  const Variable again = dropout(x);  // zeros and twos, others
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "1\n");
  expect_zeros_and_twos(y.data());
  {
    const auto test_mode = using_config(&Config::train, false);
    expect_zeros_and_twos(always_dropout(x).data());
  }
  expect_zeros_and_twos(again.data());
  EXPECT_THAT(again.data(), Not(IsArray(y.data())));

  F::sum(y).backward();  // through the mask
  EXPECT_THAT(x.grad(), IsArray(y.data()));
}

TEST(TrainTestModePageTest, BatchNormalizationHasTwoModes) {
  L::BatchNormalization normalize(2);
  const Variable alone(xp::ones({1, 2}, Dtype::kFloat32));
  const Variable pair(xp::array({{1.0f, 1.0f}, {3.0f, 5.0f}}));
  const Variable in_training =
      normalize(alone);  // zeros: the mean is subtracted
  const auto test_mode = using_config(&Config::train, false);
  const Variable single = normalize(alone);
  const Variable first = normalize(pair)[0];  // the same
  EXPECT_THAT(in_training.data(), IsClose(xp::zeros({1, 2}, Dtype::kFloat32)));
  EXPECT_THAT(first.data(), IsClose(single.data()[0]));
}

TEST(TrainTestModePageTest, ModeAndGraphAreTwoSwitches) {
  const Variable weights(xp::ones({4}));
  {
    const auto test = using_config(&Config::train, false);
    EXPECT_NE((dropout(weights) * 2).creator_node(), nullptr);
  }
  {
    const auto no_graph = no_backprop_mode();
    const Variable y = dropout(weights);
    EXPECT_EQ(y.creator_node(), nullptr);
    EXPECT_THAT(y.data(), Not(IsArray(weights.data())));
  }
  const auto test = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  const Variable result = dropout(weights * 2);  // no dropout, no history
  EXPECT_THAT(result.data(), IsArray(xp::full({4}, 2.0)));
  EXPECT_EQ(result.creator_node(), nullptr);
}

TEST(TrainTestModePageTest, EachThreadHasItsMode) {
  const auto test_mode = using_config(&Config::train, false);
  bool train_in_thread = false;
  std::thread([&] { train_in_thread = config().train; }).join();  // true
  EXPECT_TRUE(train_in_thread);
}

TEST(TrainTestModePageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/train_test_mode.md",
                                       "docs/guide/train_test_mode_md_test.cc",
                                       7);
}

}  // namespace
