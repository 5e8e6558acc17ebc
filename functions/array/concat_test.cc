#include "catena/functions/array/concat.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class ConcatTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Concat, ConcatTest, testing::every_device(),
                         testing::device_name);

TEST_P(ConcatTest, GradientsMatchFiniteDifferences) {
  const auto f = [](const Variable& a, const Variable& b, const Variable& c) {
    return concat({a, b, c});
  };
  testing::check_function_gradients(
      f, {testing::uniform({2, 3}), testing::uniform({2, 0}),
          testing::uniform({2, 1})});
  testing::check_function_gradients(
      [](const Variable& a, const Variable& b) {
        return concat({a, b}, {.axis = -3});
      },
      {testing::uniform({1, 2, 3}), testing::uniform({2, 2, 3})});
}

TEST_P(ConcatTest, LeavesOutInputsThatNeedNoGradient) {
  const Variable a(testing::uniform({2, 1}));
  const Variable b = as_variable(testing::uniform({2, 2}));
  const Variable c(testing::uniform({2, 3}));
  const Variable y = concat({a, b, c});
  const Array gy = testing::uniform({2, 6});
  y.set_grad(gy);
  y.backward();
  EXPECT_THAT(a.grad(), testing::IsArray(gy[{ellipsis, Slice(0, 1)}]));
  EXPECT_THAT(c.grad(), testing::IsArray(gy[{ellipsis, Slice(3, 6)}]));
  EXPECT_FALSE(b.grad().defined());
}

TEST(ConcatErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(
      error_of<InvalidType>([] { concat(std::span<const Variable>()); }),
      HasSubstr("Expect: size(in_types) > 0"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                concat({x, Variable(array::zeros({3, 3}))});
              }),
              HasSubstr("Expect: in_types[0].shape[0] == in_types[1].shape[0]\n"
                        "Actual: 2 != 3"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                concat({x, x}, {.axis = 2});
              }),
              HasSubstr("Expect: in_types[0].ndim > 2"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                concat({x, Variable(array::zeros({2, 3}, Dtype::kFloat32))});
              }),
              HasSubstr("Expect: in_types[0].dtype == in_types[1].dtype"));
}

}  // namespace
}  // namespace catena::functions
