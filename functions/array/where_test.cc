#include "catena/functions/array/where.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class WhereTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Where, WhereTest, testing::every_device(),
                         testing::device_name);

TEST_P(WhereTest, GradientsMatchFiniteDifferences) {
  const Array condition = array::greater(testing::uniform({3, 4}), 0);
  const Array x = testing::uniform({3, 4});
  testing::check_function_gradients(
      [&](const Variable& a, const Variable& b) {
        return where(condition, a, b);
      },
      {x, testing::uniform({4})});
  testing::check_function_gradients(
      [&](const Variable& a) { return where(condition, a, 2.0); }, {x});
  testing::check_function_gradients(
      [&](const Variable& b) { return where(condition, -1, b); },
      {testing::uniform({3, 1})});
}

TEST(WhereErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2}));
  EXPECT_THAT(error_of<InvalidType>([&] { where(array::ones({2}), x, x); }),
              HasSubstr("Expect: condition.dtype == bool\n"
                        "Actual: float64"));
  const Array yes = array::ones({2}, Dtype::kBool);
  EXPECT_THAT(
      error_of<InvalidType>([&] { where(yes, x, Variable(array::arange(2))); }),
      HasSubstr("Expect: x.dtype == y.dtype"));
  EXPECT_THAT(error_of<InvalidType>(
                  [&] { where(yes, x, Variable(array::zeros({3}))); }),
              HasSubstr("Expect: shapes that broadcast together"));
}

}  // namespace
}  // namespace catena::functions
