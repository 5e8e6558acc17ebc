#include "catena/functions/loss/sigmoid_cross_entropy.h"

#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class SigmoidCrossEntropyTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(SigmoidCrossEntropy, SigmoidCrossEntropyTest,
                         testing::every_device(), testing::device_name);

TEST_P(SigmoidCrossEntropyTest, GradientsMatchFiniteDifferences) {
  const Array t = array::array({{1, 0, -1}, {0, 1, 1}});
  for (const SigmoidCrossEntropyOptions& options :
       {SigmoidCrossEntropyOptions{},
        SigmoidCrossEntropyOptions{.normalize = false},
        SigmoidCrossEntropyOptions{.reduce = "no"}}) {
    testing::check_function_gradients(
        [&](const Variable& x) { return sigmoid_cross_entropy(x, t, options); },
        {testing::uniform({2, 3}, -2, 2)});
  }
}

TEST_P(SigmoidCrossEntropyTest, IsZeroWhenNothingCountsOrThereIsNothing) {
  const Array zero = array::zeros({});
  for (const bool normalize : {false, true}) {
    EXPECT_THAT(
        sigmoid_cross_entropy(Variable(array::ones({2, 3})),
                              array::full({2, 3}, -1), {.normalize = normalize})
            .data(),
        testing::IsArray(zero));
    EXPECT_THAT(sigmoid_cross_entropy(Variable(array::ones({0, 3})),
                                      array::zeros({0, 3}, Dtype::kInt32),
                                      {.normalize = normalize})
                    .data(),
                testing::IsArray(zero));
  }
}

TEST_P(SigmoidCrossEntropyTest, DoesNotOverflow) {
  const Variable x(array::array({-1000.0, 1000.0, -1000.0, 1000.0}));
  const Array t = array::array({0, 1, 1, 0});
  EXPECT_THAT(sigmoid_cross_entropy(x, t, {.reduce = "no"}).data(),
              testing::IsArray(array::array({0.0, 0.0, 1000.0, 1000.0})));
}

TEST(SigmoidCrossEntropyErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(error_of<InvalidType>([&] {
                sigmoid_cross_entropy(x, array::zeros({2}, Dtype::kInt32));
              }),
              HasSubstr("Expect: x.shape == t.shape\nActual: (2, 3) != (2,)"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                sigmoid_cross_entropy(x, array::zeros({2, 3}));
              }),
              HasSubstr("Expect: t.dtype is an integer"));
  const Array t = array::zeros({2, 3}, Dtype::kInt32);
  EXPECT_THAT(error_of<ValueError>(
                  [&] { sigmoid_cross_entropy(x, t, {.reduce = "sum"}); }),
              HasSubstr("got \"sum\""));
}

TEST_P(SigmoidCrossEntropyTest, NamesALabelOutOfRange) {
  const Variable x(array::zeros({2, 2}));
  for (const int label : {2, -2}) {
    const Array t = array::array({{0, 1}, {-1, label}});
    const auto call_and_wait = [&] {
      sigmoid_cross_entropy(x, t, {.reduce = "no"});
      synchronize(device());  // a GPU's error comes with the wait
    };
    EXPECT_THAT(
        error_of<ValueError>(call_and_wait),
        HasSubstr(str("sigmoid_cross_entropy: expected labels from 0 to 1 "
                      "or -1, which is ignored, got ",
                      label, " for 2 classes")));
  }
}

TEST_P(SigmoidCrossEntropyTest, TakesArraysWithoutAxes) {
  const Variable x(array::array(0.0).reshape({}));
  const Array t = array::zeros({}, Dtype::kInt32);
  for (const bool normalize : {false, true}) {
    EXPECT_NEAR(sigmoid_cross_entropy(x, t, {.normalize = normalize})
                    .data()
                    .item<double>(),
                std::log(2.0), 1e-12);
  }
}

}  // namespace
}  // namespace catena::functions
