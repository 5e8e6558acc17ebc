#include "catena/functions/math/squared_difference.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class SquaredDifferenceTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(SquaredDifference, SquaredDifferenceTest,
                         testing::every_device(), testing::device_name);

TEST_P(SquaredDifferenceTest, GradientsMatchFiniteDifferences) {
  testing::check_function_gradients(
      squared_difference, {testing::uniform({2, 3}),
                           testing::uniform({3}, -1, 1, Dtype::kFloat64, 4)});
}

TEST(SquaredDifferenceErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2}));
  EXPECT_THAT(error_of<InvalidType>(
                  [&] { squared_difference(x, Variable(array::arange(2))); }),
              HasSubstr("Expect: x0.dtype == x1.dtype\n"
                        "Actual: float64 != int64"));
}

}  // namespace
}  // namespace catena::functions
