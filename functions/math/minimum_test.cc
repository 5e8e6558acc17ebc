#include "catena/functions/math/minimum.h"

#include <gmock/gmock.h>

#include "catena/array/array.h"
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

class MinimumTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Minimum, MinimumTest, testing::every_device(),
                         testing::device_name);

TEST_P(MinimumTest, GradientsMatchFiniteDifferences) {
  const Array x1 = testing::uniform({3, 4});
  const Array apart = testing::away_from_zero({3, 4});
  testing::check_function_gradients(minimum, {x1, x1 + apart});
  testing::check_function_gradients(
      minimum, {testing::uniform({2, 3}), testing::uniform({1, 3}, 2, 3)});
  testing::check_function_gradients(
      minimum, {testing::uniform({0, 3}), testing::uniform({3})});
}

TEST_P(MinimumTest, FirstInputGetsTheGradientOfTies) {
  const Variable a(array::ones({2}));
  const Variable b(array::ones({2}));
  const Variable y = minimum(a, b);
  y.set_grad(array::ones({2}));
  y.backward();
  EXPECT_THAT(a.grad(), testing::IsArray(array::ones({2})));
  EXPECT_THAT(b.grad(), testing::IsArray(array::zeros({2})));
}

TEST(MinimumErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2}));
  EXPECT_THAT(
      error_of<InvalidType>([&] { minimum(x, Variable(array::zeros({3}))); }),
      HasSubstr("Expect: shapes that broadcast together"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                minimum(x, Variable(array::zeros({2}, Dtype::kFloat32)));
              }),
              HasSubstr("Expect: x1.dtype == x2.dtype"));
}

}  // namespace
}  // namespace catena::functions
