#include <gmock/gmock.h>

#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/math/add.h"
#include "catena/functions/math/bias.h"
#include "catena/functions/math/linear_interpolate.h"
#include "catena/functions/math/scale.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class CombinationTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, CombinationTest, testing::every_device(),
                         testing::device_name);

TEST_P(CombinationTest, AddsAnyNumber) {
  for (int count = 2; count <= 8; ++count) {
    SCOPED_TRACE(count);
    Variables xs;
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      const double number = 1 << i;
      xs.push_back(Variable(array::full({2, 3}, number, Dtype::kFloat32)));
      sum += number;
    }
    const Variable y = add(xs);
    EXPECT_THAT(y.data(),
                testing::IsArray(array::full({2, 3}, sum, Dtype::kFloat32)));
    y.set_grad(y.data());
    y.backward();
    for (const Variable& x : xs) {
      EXPECT_THAT(x.grad(), testing::IsArray(y.data()));
    }
  }
  const Variable one(array::ones({2}));
  EXPECT_THAT(add(one, one, one).data(),
              testing::IsArray(array::array({3.0, 3.0})));
}

TEST_P(CombinationTest, AddAndLinearInterpolateBroadcast) {
  const std::vector<Array> xs = {
      testing::uniform({3, 4}),
      testing::uniform({4}, -1, 1, Dtype::kFloat64, 1),
      testing::uniform({3, 1}, -1, 1, Dtype::kFloat64, 2)};
  const auto sum = [](const Variables& in) { return add(in); };
  testing::check_function_gradients(sum, xs);
  testing::check_function_gradients(linear_interpolate, xs);
  const std::vector<Array> empty(3, testing::uniform({2, 0}));
  testing::check_function_gradients(sum, empty);
  testing::check_function_gradients(linear_interpolate, empty);
}

TEST_P(CombinationTest, BiasAndScaleMeetTheAxes) {
  const Array x = testing::uniform({2, 3, 4});
  struct Case {
    Shape shape;
    int64_t axis;
  };
  for (const Case& meets :
       {Case{{2}, 0}, {{3}, 1}, {{3, 4}, 1}, {{4}, 2}, {{}, 3}}) {
    SCOPED_TRACE(str(meets.shape, " at ", meets.axis));
    const Array y = testing::uniform(meets.shape, 1, 2);
    testing::check_function_gradients(
        [&](const Variable& a, const Variable& b) {
          return bias(a, b, {.axis = meets.axis});
        },
        {x, y});
    testing::check_function_gradients(
        [&](const Variable& a, const Variable& b) {
          return scale(a, b, {.axis = meets.axis});
        },
        {x, y});
  }
}

TEST(CombinationErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::ones({2, 3}));
  EXPECT_THAT(error_of<ValueError>([&] { add(Variables{x}); }),
              HasSubstr("add: expected at least two variables, got 1"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { add(x, x, Variable(array::ones({4}))); }),
      HasSubstr("Expect: shapes that broadcast together"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                linear_interpolate(x, x, Variable(array::ones({4})));
              }),
              HasSubstr("Expect: shapes that broadcast together"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { bias(x, Variable(array::ones({2}))); }),
      HasSubstr("Expect: x.shape[1:2] == y.shape\n"
                "Actual: (2, 3) and (2,)"));
  EXPECT_THAT(error_of<InvalidType>(
                  [&] { scale(x, Variable(array::ones({3})), {.axis = -1}); }),
              HasSubstr("Expect: x.shape[-1:0] == y.shape"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                scale(x, Variable(array::ones({3}, Dtype::kFloat32)));
              }),
              HasSubstr("Expect: x.dtype == y.dtype"));
}

}  // namespace
}  // namespace catena::functions
