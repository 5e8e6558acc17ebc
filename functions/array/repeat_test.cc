#include "catena/functions/array/repeat.h"

#include <gmock/gmock.h>

#include <span>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/array/broadcast.h"
#include "catena/functions/array/pad.h"
#include "catena/functions/array/tile.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class RepeatTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Repeat, RepeatTest, testing::every_device(),
                         testing::device_name);

TEST_P(RepeatTest, GradientsMatchFiniteDifferences) {
  for (const Shape& shape : {Shape{3, 2}, Shape{3, 0}}) {
    const Array a = testing::uniform(shape);
    testing::check_function_gradients(
        [](const Variable& x) {
          return Variables{repeat(x, 2), repeat(x, 3, -1),
                           repeat(x, {2, 0, 1}, 0), repeat(x, 0, 0)};
        },
        {a});
    testing::check_function_gradients(
        [](const Variable& x) {
          return Variables{tile(x, 2), tile(x, {2, 1, 3}), tile(x, {0, 2})};
        },
        {a});
  }
  testing::check_function_gradients(
      [](const Variable& x) {
        return Variables{repeat(x, 2), tile(x, 2), tile(x, Shape())};
      },
      {testing::uniform({})});
}

TEST_P(RepeatTest, BroadcastSumsGradients) {
  testing::check_function_gradients(
      [](const Variable& a, const Variable& b) {
        return broadcast({a, b});
      },
      {testing::uniform({2, 1}), testing::uniform({3})});
}

TEST_P(RepeatTest, EveryModeOfPadHasItsGradient) {
  using array::PadMode;
  for (const PadMode mode :
       {PadMode::kConstant, PadMode::kEdge, PadMode::kReflect,
        PadMode::kSymmetric, PadMode::kWrap}) {
    testing::check_function_gradients(
        [&](const Variable& x) {
          return Variables{pad(x, 2, {.mode = mode}),
                           pad(x, {{0, 5}, {1, 0}}, {.mode = mode})};
        },
        {testing::uniform({2, 3})});
  }
  testing::check_function_gradients(
      [](const Variable& x) {
        return pad(x, {{1, 2}}, {.constant_values = {3.0}});
      },
      {testing::uniform({2, 0})});
}

TEST(RepeatErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(error_of<InvalidType>([&] { repeat(x, 2, 2); }),
              HasSubstr("repeat (Forward)\n\nExpect: x.ndim > 2"));
  EXPECT_THAT(error_of<ValueError>([&] { repeat(x, -1, 0); }),
              HasSubstr("repeat"));
  EXPECT_THAT(error_of<ValueError>([&] {
                repeat(x, {1, 2, 3}, 0);
              }),
              HasSubstr("repeat"));
  EXPECT_THAT(error_of<ValueError>([&] { tile(x, -1); }), HasSubstr("tile"));
  EXPECT_THAT(error_of<ValueError>([&] { pad(x, -1); }), HasSubstr("pad"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                broadcast({x, Variable(array::zeros({2}))});
              }),
              HasSubstr("broadcast (Forward)"));
  EXPECT_THAT(
      error_of<InvalidType>([] { broadcast(std::span<const Variable>()); }),
      HasSubstr("Expect: size(in_types) > 0"));
}

}  // namespace
}  // namespace catena::functions
