#include "catena/functions/loss/mean_squared_error.h"

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

class MeanSquaredErrorTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(MeanSquaredError, MeanSquaredErrorTest,
                         testing::every_device(), testing::device_name);

TEST_P(MeanSquaredErrorTest, GradientsMatchFiniteDifferences) {
  testing::check_function_gradients(
      mean_squared_error,
      {testing::uniform({2, 3}),
       testing::uniform({2, 3}, -1, 1, Dtype::kFloat64, 4)});
}

TEST(MeanSquaredErrorErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(
      error_of<InvalidType>(
          [&] { mean_squared_error(x, Variable(array::zeros({3}))); }),
      HasSubstr("Expect: x0.shape == x1.shape\nActual: (2, 3) != (3,)"));
  const Variable narrow(array::zeros({2, 3}, Dtype::kFloat32));
  EXPECT_THAT(error_of<InvalidType>([&] { mean_squared_error(x, narrow); }),
              HasSubstr("Expect: x0.dtype == x1.dtype"));
}

}  // namespace
}  // namespace catena::functions
