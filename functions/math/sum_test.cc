#include "catena/functions/math/sum.h"

#include <gmock/gmock.h>

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

class SumTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Sum, SumTest, testing::every_device(),
                         testing::device_name);

TEST_P(SumTest, GradientsMatchFiniteDifferences) {
  for (const AxisSet& axis : {AxisSet(), AxisSet(1), AxisSet{0, -1}}) {
    for (const bool keepdims : {false, true}) {
      const auto f = [&](const Variable& x) {
        return sum(x, {.axis = axis, .keepdims = keepdims});
      };
      testing::check_function_gradients(f, {testing::uniform({2, 3, 4})});
      testing::check_function_gradients(f, {testing::uniform({2, 0, 4})});
    }
  }
}

TEST_P(SumTest, OfNoAxesIsTheInput) {
  const Array x = testing::uniform({2, 3});
  EXPECT_THAT(sum(Variable(x), {.axis = Axes()}).data(), testing::IsArray(x));
}

TEST(SumErrorTest, NamesAxesThatAreNotThere) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(error_of<InvalidType>([&] { sum(x, {.axis = 2}); }),
              HasSubstr("Expect: x.ndim > 2\nActual: 2 <= 2"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                sum(x, {.axis = {0, -3}});
              }),
              HasSubstr("Expect: x.ndim >= 3\nActual: 2 < 3"));
  EXPECT_THAT(error_of<ValueError>([&] {
                sum(x, {.axis = {1, -1}});
              }),
              HasSubstr("sum"));
  EXPECT_THAT(error_of<InvalidType>([] { sum(Variable(array::arange(3))); }),
              HasSubstr("Expect: x.dtype is floating\nActual: int64"));
}

}  // namespace
}  // namespace catena::functions
