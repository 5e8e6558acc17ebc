#include "catena/functions/normalization/decorrelated_batch_normalization.h"

#include <gmock/gmock.h>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class DecorrelatedTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Decorrelated, DecorrelatedTest,
                         testing::every_device(), testing::device_name);

TEST_P(DecorrelatedTest, GradientsMatchFiniteDifferences) {
  testing::check_function_gradients(
      [](const Variable& x) {
        return decorrelated_batch_normalization(x, {.groups = 2, .eps = 0.1});
      },
      {testing::uniform({3, 4, 2})}, {.second_order = false});
  const Array mean = testing::uniform({2, 2}, -1, 1, Dtype::kFloat64, 1);
  const Array projection =
      testing::uniform({2, 2, 2}, -1, 1, Dtype::kFloat64, 2);
  testing::check_function_gradients(
      [&](const Variable& x) {
        return fixed_decorrelated_batch_normalization(x, mean, projection,
                                                      {.groups = 2});
      },
      {testing::uniform({3, 4, 2})});
}

TEST(DecorrelatedErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 4}));
  EXPECT_THAT(
      [&] { decorrelated_batch_normalization(x, {.groups = 3}); },
      ThrowsMessage<ValueError>(HasSubstr(
          "expected groups that divide the channels of x (2, 4), got 3")));
  EXPECT_THAT(
      [&] { decorrelated_batch_normalization(x, {.groups = 2, .eps = -1}); },
      ThrowsMessage<ValueError>(HasSubstr("got -1")));
  EXPECT_THAT(
      [&] {
        decorrelated_batch_normalization(
            x, {.groups = 2, .running_mean = array::zeros({4})});
      },
      ThrowsMessage<ValueError>(HasSubstr(
          "expected running_mean floating (2, 2), got float64 (4,)")));
  EXPECT_THAT(
      [&] {
        fixed_decorrelated_batch_normalization(
            x, array::zeros({2, 2}), array::zeros({2, 2}), {.groups = 2});
      },
      ThrowsMessage<ValueError>(
          HasSubstr("expected projection floating (2, 2, 2)")));
  EXPECT_THAT(
      [&] { decorrelated_batch_normalization(Variable(array::zeros({2}))); },
      ThrowsMessage<InvalidType>(HasSubstr("got shape (2,)")));
  const Variable input(testing::uniform({4, 2}));
  const Variable y = decorrelated_batch_normalization(input, {.groups = 1});
  EXPECT_THAT(
      [&] {
        const auto gx =
            catena::grad({y}, {input}, {.enable_double_backprop = true});
        catena::grad(gx, {input});
      },
      ThrowsMessage<NotImplementedError>(
          HasSubstr("cannot be differentiated again")));
}

}  // namespace
}  // namespace catena::functions
