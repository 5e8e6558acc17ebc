#include "catena/functions/array/repeat.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/functions/array/broadcast.h"
#include "catena/functions/array/pad.h"
#include "catena/functions/array/tile.h"
#include "catena/tests/support/function_golden.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class BroadcastGolden : public testing::FunctionGoldenTest {};
TEST_P(BroadcastGolden, AgreesWithChainer) {
  check_case([&](const Variables& in) { return broadcast(in); });
}
INSTANTIATE_TEST_SUITE_P(
    Broadcast, BroadcastGolden,
    testing::every_device_and_case("functions/array/broadcast"),
    testing::golden_device_name);

class RepeatGolden : public testing::FunctionGoldenTest {};
TEST_P(RepeatGolden, AgreesWithChainer) {
  std::optional<int64_t> axis;
  if (golden().has_attr("axis")) axis = golden().attr<int64_t>("axis");
  const Shape repeats = golden().attr<Shape>("repeats");
  check_case([&](const Variables& in) {
    return repeat(in[0], std::span<const int64_t>(repeats), axis);
  });
}
INSTANTIATE_TEST_SUITE_P(
    Repeat, RepeatGolden,
    testing::every_device_and_case("functions/array/repeat"),
    testing::golden_device_name);

class TileGolden : public testing::FunctionGoldenTest {};
TEST_P(TileGolden, AgreesWithChainer) {
  check_case([&](const Variables& in) {
    return tile(in[0], golden().attr<Shape>("reps"));
  });
}
INSTANTIATE_TEST_SUITE_P(Tile, TileGolden,
                         testing::every_device_and_case("functions/array/tile"),
                         testing::golden_device_name);

class PadGolden : public testing::FunctionGoldenTest {};
TEST_P(PadGolden, AgreesWithChainer) {
  const std::vector<int64_t> numbers =
      golden().attr<Array>("pad_width").to_vector<int64_t>();
  std::vector<array::PadWidth> widths;
  for (size_t i = 0; i < numbers.size(); i += 2) {
    widths.push_back(
        {numbers[i], numbers[std::min(i + 1, numbers.size() - 1)]});
  }
  array::PadOptions options;
  ASSERT_EQ(golden().attr<std::string>("mode"), "constant");
  if (golden().has_attr("constant_values")) {
    options.constant_values = {golden().attr<double>("constant_values")};
  }
  check_case([&](const Variables& in) { return pad(in[0], widths, options); });
}
INSTANTIATE_TEST_SUITE_P(Pad, PadGolden,
                         testing::every_device_and_case("functions/array/pad"),
                         testing::golden_device_name);

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
  EXPECT_THAT([&] { repeat(x, 2, 2); },
              ThrowsMessage<InvalidType>(
                  HasSubstr("repeat (Forward)\n\nExpect: x.ndim > 2")));
  EXPECT_THAT([&] { repeat(x, -1, 0); },
              ThrowsMessage<ValueError>(HasSubstr("repeat")));
  EXPECT_THAT(
      [&] {
        repeat(x, {1, 2, 3}, 0);
      },
      ThrowsMessage<ValueError>(HasSubstr("repeat")));
  EXPECT_THAT([&] { tile(x, -1); },
              ThrowsMessage<ValueError>(HasSubstr("tile")));
  EXPECT_THAT([&] { pad(x, -1); }, ThrowsMessage<ValueError>(HasSubstr("pad")));
  EXPECT_THAT(
      [&] {
        broadcast({x, Variable(array::zeros({2}))});
      },
      ThrowsMessage<InvalidType>(HasSubstr("broadcast (Forward)")));
  EXPECT_THAT(
      [] { broadcast(std::span<const Variable>()); },
      ThrowsMessage<InvalidType>(HasSubstr("Expect: size(in_types) > 0")));
}

}  // namespace
}  // namespace catena::functions
