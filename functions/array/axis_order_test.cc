#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/functions/array/expand_dims.h"
#include "catena/functions/array/flatten.h"
#include "catena/functions/array/flip.h"
#include "catena/functions/array/moveaxis.h"
#include "catena/functions/array/rollaxis.h"
#include "catena/functions/array/squeeze.h"
#include "catena/functions/array/swapaxes.h"
#include "catena/tests/support/function_golden.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ExpandDimsGolden : public testing::FunctionGoldenTest {};
TEST_P(ExpandDimsGolden, AgreesWithChainer) {
  check_case([&](const Variables& in) {
    return expand_dims(in[0], golden().attr<int>("axis"));
  });
}
INSTANTIATE_TEST_SUITE_P(
    ExpandDims, ExpandDimsGolden,
    testing::every_device_and_case("functions/array/expand_dims"),
    testing::golden_device_name);

class SqueezeGolden : public testing::FunctionGoldenTest {};
TEST_P(SqueezeGolden, AgreesWithChainer) {
  const AxisSet axis = golden().has_attr("axis")
                           ? AxisSet(golden().attr<Shape>("axis"))
                           : AxisSet();
  check_case([&](const Variables& in) { return squeeze(in[0], axis); });
}
INSTANTIATE_TEST_SUITE_P(
    Squeeze, SqueezeGolden,
    testing::every_device_and_case("functions/array/squeeze"),
    testing::golden_device_name);

class FlattenGolden : public testing::FunctionGoldenTest {};
TEST_P(FlattenGolden, AgreesWithChainer) {
  check_case([&](const Variables& in) { return flatten(in[0]); });
}
INSTANTIATE_TEST_SUITE_P(
    Flatten, FlattenGolden,
    testing::every_device_and_case("functions/array/flatten"),
    testing::golden_device_name);

class FlipGolden : public testing::FunctionGoldenTest {};
TEST_P(FlipGolden, AgreesWithChainer) {
  check_case([&](const Variables& in) {
    return flip(in[0], golden().attr<int>("axis"));
  });
}
INSTANTIATE_TEST_SUITE_P(Flip, FlipGolden,
                         testing::every_device_and_case("functions/array/flip"),
                         testing::golden_device_name);

class FliplrGolden : public testing::FunctionGoldenTest {};
TEST_P(FliplrGolden, AgreesWithChainer) {
  check_case([&](const Variables& in) { return fliplr(in[0]); });
}
INSTANTIATE_TEST_SUITE_P(
    Fliplr, FliplrGolden,
    testing::every_device_and_case("functions/array/fliplr"),
    testing::golden_device_name);

class FlipudGolden : public testing::FunctionGoldenTest {};
TEST_P(FlipudGolden, AgreesWithChainer) {
  check_case([&](const Variables& in) { return flipud(in[0]); });
}
INSTANTIATE_TEST_SUITE_P(
    Flipud, FlipudGolden,
    testing::every_device_and_case("functions/array/flipud"),
    testing::golden_device_name);

class SwapaxesGolden : public testing::FunctionGoldenTest {};
TEST_P(SwapaxesGolden, AgreesWithChainer) {
  check_case([&](const Variables& in) {
    return swapaxes(in[0], golden().attr<int>("axis1"),
                    golden().attr<int>("axis2"));
  });
}
INSTANTIATE_TEST_SUITE_P(
    Swapaxes, SwapaxesGolden,
    testing::every_device_and_case("functions/array/swapaxes"),
    testing::golden_device_name);

class MoveaxisGolden : public testing::FunctionGoldenTest {};
TEST_P(MoveaxisGolden, AgreesWithChainer) {
  check_case([&](const Variables& in) {
    return moveaxis(in[0], golden().attr<Shape>("source"),
                    golden().attr<Shape>("destination"));
  });
}
INSTANTIATE_TEST_SUITE_P(
    Moveaxis, MoveaxisGolden,
    testing::every_device_and_case("functions/array/moveaxis"),
    testing::golden_device_name);

class RollaxisGolden : public testing::FunctionGoldenTest {};
TEST_P(RollaxisGolden, AgreesWithChainer) {
  check_case([&](const Variables& in) {
    return rollaxis(in[0], golden().attr<int>("axis"),
                    golden().attr_or<int>("start", 0));
  });
}
INSTANTIATE_TEST_SUITE_P(
    Rollaxis, RollaxisGolden,
    testing::every_device_and_case("functions/array/rollaxis"),
    testing::golden_device_name);

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
    EXPECT_THAT(f, ThrowsMessage<InvalidType>(HasSubstr(message)));
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
  EXPECT_THAT(
      [&] {
        moveaxis(x, {0, 1}, {0});
      },
      ThrowsMessage<ValueError>(HasSubstr("moveaxis")));
  EXPECT_THAT(
      [&] {
        squeeze(Variable(array::zeros({1, 1})), {0, -2});
      },
      ThrowsMessage<ValueError>(HasSubstr("squeeze")));
}

}  // namespace
}  // namespace catena::functions
