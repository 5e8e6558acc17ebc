#include "catena/functions/math/sum_to.h"

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

class SumToTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(SumTo, SumToTest, testing::every_device(),
                         testing::device_name);

TEST_P(SumToTest, GradientsMatchFiniteDifferences) {
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 1}, Shape{1, 1, 3}}) {
    testing::check_function_gradients(
        [&](const Variable& x) { return sum_to(x, shape); },
        {testing::uniform({4, 2, 3})});
  }
}

TEST(SumToErrorTest, NamesTheShapes) {
  EXPECT_THAT(error_of<InvalidType>([] {
                sum_to(Variable(array::zeros({2, 3})), {2});
              }),
              HasSubstr("Expect: shape (2,) broadcasts to x.shape\n"
                        "Actual: (2, 3)"));
}

}  // namespace
}  // namespace catena::functions
