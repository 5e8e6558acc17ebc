#include "catena/functions/loss/absolute_error.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/loss/squared_error.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class ErrorTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Error, ErrorTest, testing::every_device(),
                         testing::device_name);

TEST_P(ErrorTest, GradientsMatchFiniteDifferences) {
  for (const Shape& shape : {Shape{2, 3}, Shape{}, Shape{0, 3}}) {
    const Array x0 = testing::uniform(shape);
    const Array x1 = x0 + testing::away_from_zero(shape);
    testing::check_function_gradients(absolute_error, {x0, x1});
    testing::check_function_gradients(squared_error, {x0, x1});
    if (x0.size() == 0) continue;  // whose mean is NaN
    testing::check_function_gradients(mean_absolute_error, {x0, x1});
  }
}

TEST_P(ErrorTest, GradientIsZeroWhereBothAreEqual) {
  const Variable x0(array::array({1.0, 2.0, 3.0}));
  const Variable x1(array::array({1.0, 1.0, 4.0}));
  const Variable y = absolute_error(x0, x1);
  y.set_grad(array::ones({3}));
  y.backward();
  EXPECT_THAT(x0.grad(), testing::IsArray(array::array({0.0, 1.0, -1.0})));
  EXPECT_THAT(x1.grad(), testing::IsArray(array::array({0.0, -1.0, 1.0})));
}

TEST(ErrorErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 3}));
  const Variable row(array::zeros({3}));
  const Variable narrow(array::zeros({2, 3}, Dtype::kFloat32));
  const Variable integers(array::zeros({2, 3}, Dtype::kInt32));
  using Error = Variable(const Variable&, const Variable&);
  const std::pair<std::string_view, Error*> errors[] = {
      {"absolute_error", absolute_error},
      {"mean_absolute_error", mean_absolute_error},
      {"squared_error", squared_error}};
  for (const auto& [name, error] : errors) {
    Error* const function = error;
    EXPECT_THAT(error_of<InvalidType>([&] { function(x, row); }),
                HasSubstr(str(name,
                              " (Forward)\n\nExpect: x0.shape == x1.shape\n"
                              "Actual: (2, 3) != (3,)")));
    EXPECT_THAT(error_of<InvalidType>([&] { function(x, narrow); }),
                HasSubstr("Expect: x0.dtype == x1.dtype\n"
                          "Actual: float64 != float32"));
    EXPECT_THAT(error_of<InvalidType>([&] { function(integers, x); }),
                HasSubstr("Expect: x0.dtype is floating"));
  }
}

}  // namespace
}  // namespace catena::functions
