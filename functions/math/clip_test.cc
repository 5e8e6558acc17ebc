#include "catena/functions/math/clip.h"

#include <gmock/gmock.h>

#include <cmath>
#include <optional>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/math/fmod.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class ClipTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, ClipTest, testing::every_device(),
                         testing::device_name);

TEST_P(ClipTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  testing::check_elementwise_function(
      [](const Variable& x) { return clip(x, -0.1, 0.1); },
      {.low = 0.2, .high = 1, .mirrored = true});
  testing::check_elementwise_function(
      [](const Variable& x) { return clip(x, -2.0, 2.0); });
}

TEST_P(ClipTest, TheLimitsPassTheGradientAndMayBeLeftOut) {
  const Array numbers = array::array({-2.0, -1.0, 0.0, 1.0, 2.0, double(NAN)});
  const auto expect = [&](std::optional<double> x_min,
                          std::optional<double> x_max, const NestedList& y,
                          const NestedList& gx) {
    const Variable x(numbers);
    const Variable clipped = clip(x, x_min, x_max);
    EXPECT_THAT(clipped.data(), testing::IsArray(array::array(y)));
    clipped.set_grad(array::ones_like(numbers));
    clipped.backward();
    EXPECT_THAT(x.grad(), testing::IsArray(array::array(gx)));
  };
  const double nan = NAN;
  expect(-1, 1, {-1.0, -1.0, 0.0, 1.0, 1.0, nan},
         {0.0, 1.0, 1.0, 1.0, 0.0, 0.0});
  expect(-1, std::nullopt, {-1.0, -1.0, 0.0, 1.0, 2.0, nan},
         {0.0, 1.0, 1.0, 1.0, 1.0, 0.0});
  expect(std::nullopt, 1, {-2.0, -1.0, 0.0, 1.0, 1.0, nan},
         {1.0, 1.0, 1.0, 1.0, 0.0, 0.0});
}

TEST(ClipErrorTest, NamesLimitsThatContradictEachOther) {
  const Variable x(array::ones({2}));
  EXPECT_THAT(error_of<ValueError>([&] { clip(x, 1, 1); }),
              HasSubstr("clip: expected x_min < x_max, got 1 and 1"));
  EXPECT_THAT(error_of<ValueError>([&] { clip(x, NAN, 1); }),
              HasSubstr("clip: expected x_min"));
}

class FmodTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, FmodTest, testing::every_device(),
                         testing::device_name);

TEST_P(FmodTest, GradientsMatchFiniteDifferences) {
  // Quotients from 2.2 to 2.8 and from -2.8 to -2.2: no step is near.
  const Array divisor = testing::away_from_zero({3, 4}, 1, 2);
  const Array x = divisor * testing::uniform({3, 4}, 2.2, 2.8);
  testing::check_function_gradients(functions::fmod, {x, divisor});
  testing::check_function_gradients(
      functions::fmod,
      {testing::uniform({3, 4}, 2.2, 2.8), array::ones({1, 4})});
  testing::check_function_gradients(
      functions::fmod, {testing::uniform({0, 4}), testing::uniform({4})});
}

TEST_P(FmodTest, HasTheSignOfTheDividend) {
  const Variable x(array::array({-5.0, 5.0, -5.0}));
  const Variable divisor(array::array({3.0, -3.0, -3.0}));
  EXPECT_THAT(functions::fmod(x, divisor).data(),
              testing::IsArray(array::array({-2.0, 2.0, -2.0})));
}

TEST(FmodErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::ones({2}));
  EXPECT_THAT(error_of<InvalidType>([&] {
                functions::fmod(x, Variable(array::ones({2}, Dtype::kFloat32)));
              }),
              HasSubstr("Expect: x.dtype == divisor.dtype"));
}

}  // namespace
}  // namespace catena::functions
