#include "catena/functions/array/cast.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/array/copy.h"
#include "catena/functions/array/depth2space.h"
#include "catena/functions/array/space2depth.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class CastTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Cast, CastTest, testing::every_device(),
                         testing::device_name);

TEST_P(CastTest, GradientsMatchFiniteDifferences) {
  testing::check_function_gradients(
      [](const Variable& x) {
        return cast(cast(x, Dtype::kFloat32), Dtype::kFloat64);
      },
      {testing::uniform({2, 3})}, {.check = {.atol = 1e-3, .rtol = 1e-3}});
  testing::check_function_gradients(
      [](const Variable& x) { return depth2space(x, 2); },
      {testing::uniform({2, 8, 1, 3})});
  testing::check_function_gradients(
      [](const Variable& x) { return space2depth(x, 3); },
      {testing::uniform({1, 2, 3, 6})});
  testing::check_function_gradients(
      [](const Variable& x) { return space2depth(depth2space(x, 2), 2); },
      {testing::uniform({0, 4, 1, 3})});
}

TEST_P(CastTest, GoesThroughEveryFloatAndKeepsTheGradientsDtype) {
  for (const Dtype dtype : testing::float_dtypes()) {
    const Variable x(array::array({0.5, -2.0}));
    const Variable y = cast(x, dtype);
    EXPECT_EQ(y.dtype(), dtype);
    y.set_grad(array::full_like(y.data(), 3));
    y.backward();
    EXPECT_THAT(x.grad(), testing::IsArray(array::array({3.0, 3.0})));
  }
}

TEST_P(CastTest, IntegersHaveNoGradient) {
  const Variable x(array::array({0.5, -2.0}));
  EXPECT_FALSE(cast(x, Dtype::kInt32).requires_grad());
  EXPECT_TRUE(cast(x, Dtype::kFloat64).is_same(x));
}

TEST_P(CastTest, CopyLivesOnItsDeviceAndSendsTheGradientBack) {
  const Device other(Backend::kNative, 1);
  const Variable x(testing::uniform({3}));
  const Variable y = copy(x, other);
  EXPECT_EQ(y.device(), other);
  EXPECT_THAT(y.data().to_device(x.device()), testing::IsArray(x.data()));
  y.set_grad(array::full_like(y.data(), 2));
  y.backward();
  EXPECT_EQ(x.grad().device(), device());
  EXPECT_THAT(x.grad(), testing::IsArray(array::array({2.0, 2.0, 2.0})));
}

TEST(CastErrorTest, BlocksMustDivide) {
  const Variable x(array::zeros({1, 6, 4, 3}));
  EXPECT_THAT(error_of<InvalidType>([&] { depth2space(x, 2); }),
              HasSubstr("depth2space (Forward)\n\nExpect: x.shape[1] % (r "
                        "* r) == 0\nActual: 2 != 0"));
  EXPECT_THAT(error_of<InvalidType>([&] { space2depth(x, 2); }),
              HasSubstr("space2depth (Forward)\n\nExpect: x.shape[3] % r "
                        "== 0\nActual: 1 != 0"));
  EXPECT_THAT(error_of<InvalidType>([] {
                depth2space(Variable(array::zeros({4, 2})), 2);
              }),
              HasSubstr("Expect: x.ndim == 4"));
  EXPECT_THAT(
      error_of<InvalidType>([] {
        space2depth(Variable(array::zeros({1, 1, 2, 2}, Dtype::kInt32)), 2);
      }),
      HasSubstr("Expect: x.dtype is floating"));
  EXPECT_THAT(error_of<ValueError>([&] { depth2space(x, 0); }),
              HasSubstr("depth2space: expected a positive r, got 0"));
}

}  // namespace
}  // namespace catena::functions
