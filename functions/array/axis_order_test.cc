#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/array/expand_dims.h"
#include "catena/functions/array/flatten.h"
#include "catena/functions/array/flip.h"
#include "catena/functions/array/moveaxis.h"
#include "catena/functions/array/rollaxis.h"
#include "catena/functions/array/squeeze.h"
#include "catena/functions/array/swapaxes.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class AxisOrderTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(AxisOrder, AxisOrderTest, testing::every_device(),
                         testing::device_name);

TEST_P(AxisOrderTest, GradientsMatchFiniteDifferences) {
  for (const Shape& shape : {Shape{2, 1, 3}, Shape{2, 1, 0}}) {
    testing::check_function_gradients(
        [](const Variable& x) {
          return Variables{expand_dims(x, -2), squeeze(x), squeeze(x, {-2}),
                           flatten(x),         fliplr(x),  flipud(x)};
        },
        {testing::uniform(shape)});
    testing::check_function_gradients(
        [](const Variable& x) {
          return Variables{flip(x, -1), swapaxes(x, 0, -1), moveaxis(x, 0, 2),
                           moveaxis(x, {2, 0}, {0, 1})};
        },
        {testing::uniform(shape)});
  }
}

TEST_P(AxisOrderTest, RollsEveryAxisToEveryPlace) {
  const Array a = testing::uniform({2, 3, 4});
  for (int64_t axis = -3; axis < 3; ++axis) {
    for (int64_t start = -3; start <= 3; ++start) {
      SCOPED_TRACE(str("axis ", axis, ", start ", start));
      testing::check_function_gradients(
          [&](const Variable& x) { return rollaxis(x, axis, start); }, {a});
    }
  }
}

TEST_P(AxisOrderTest, ResultsAreViews) {
  const Variable x(testing::uniform({2, 1, 3}));
  for (const Variable& y :
       {expand_dims(x, 1), squeeze(x), flatten(x), flip(x, 2), fliplr(x),
        flipud(x), swapaxes(x, 0, 2), moveaxis(x, 0, 2), rollaxis(x, 2)}) {
    EXPECT_EQ(y.data().storage(), x.data().storage());
  }
  EXPECT_TRUE(squeeze(x, Axes()).shape() == x.shape());
}

TEST(AxisOrderErrorTest, NamesFunctionAndAxis) {
  const Variable x(array::zeros({2, 3}));
  const auto expect_invalid = [](const std::function<void()>& f,
                                 const std::string& message) {
    EXPECT_THAT(error_of<InvalidType>(f), HasSubstr(message));
  };
  expect_invalid([&] { expand_dims(x, 3); },
                 "expand_dims (Forward)\n\nExpect: x.ndim >= 3\nActual: 2 < 3");
  expect_invalid([&] { expand_dims(x, -4); }, "Expect: x.ndim >= 3");
  expect_invalid(
      [&] { squeeze(x, 1); },
      "squeeze (Forward)\n\nExpect: x.shape[1] == 1\nActual: 3 != 1");
  expect_invalid([&] { squeeze(x, -3); }, "Expect: x.ndim >= 3");
  expect_invalid([&] { flip(x, 2); }, "flip (Forward)\n\nExpect: x.ndim > 2");
  expect_invalid([&] { fliplr(Variable(array::zeros({2}))); },
                 "fliplr (Forward)\n\nExpect: x.ndim > 1");
  expect_invalid([&] { flipud(Variable(array::zeros({}))); },
                 "flipud (Forward)\n\nExpect: x.ndim > 0");
  expect_invalid([&] { swapaxes(x, 0, 2); },
                 "swapaxes (Forward)\n\nExpect: x.ndim > 2");
  expect_invalid([&] { swapaxes(x, -3, 0); }, "Expect: x.ndim >= 3");
  expect_invalid([&] { moveaxis(x, 2, 0); },
                 "moveaxis (Forward)\n\nExpect: x.ndim > 2");
  expect_invalid([&] { moveaxis(x, 0, -3); }, "Expect: x.ndim >= 3");
  expect_invalid([&] { rollaxis(x, 2); },
                 "rollaxis (Forward)\n\nExpect: x.ndim > 2");
  expect_invalid([&] { rollaxis(x, 0, 3); },
                 "Expect: x.ndim >= start\nActual: 2 < 3");
  EXPECT_THAT(error_of<ValueError>([&] {
                moveaxis(x, {0, 1}, {0});
              }),
              HasSubstr("moveaxis"));
  EXPECT_THAT(error_of<ValueError>([&] {
                squeeze(Variable(array::zeros({1, 1})), {0, -2});
              }),
              HasSubstr("squeeze"));
}

}  // namespace
}  // namespace catena::functions
