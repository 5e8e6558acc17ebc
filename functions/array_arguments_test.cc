// Functions, operators and containers of arguments take arrays in place of
// variables, which are then constants.

#include <gmock/gmock.h>

#include <concepts>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/functions.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"

namespace catena {
namespace {

namespace F = functions;
using testing::IsArray;

class ArrayArgumentsTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(ArrayArguments, ArrayArgumentsTest,
                         testing::every_device(), testing::device_name);

TEST_P(ArrayArgumentsTest, GiveAResultWithoutAGraph) {
  const Array a = array::array({{-1.0, 2.0}, {3.0, -4.0}});
  const Variable y = F::relu(a);
  EXPECT_THAT(y.data(), IsArray(array::array({{0.0, 2.0}, {3.0, 0.0}})));
  EXPECT_FALSE(y.requires_grad());
  EXPECT_EQ(y.creator_node(), nullptr);
  EXPECT_THAT(F::relu(a[0]).data(), IsArray(array::array({0.0, 2.0})));
  EXPECT_THAT(F::relu(a + a).data(), IsArray(F::relu(a).data() * 2));
}

TEST_P(ArrayArgumentsTest, MixWithVariables) {
  const Array x = array::ones({2, 3});
  const Variable W(array::ones({4, 3}));
  const Variable y = F::linear(x, W, array::full({4}, 2.0));
  EXPECT_THAT(y.data(), IsArray(array::full({2, 4}, 5.0)));
  F::sum(y).backward();
  EXPECT_THAT(W.grad(), IsArray(array::full({4, 3}, 2.0)));
  EXPECT_EQ(F::concat({W, x}, {.axis = 0}).shape(), Shape({6, 3}));
  EXPECT_EQ(F::concat({x, x}).shape(), Shape({2, 6}));
  EXPECT_EQ(F::stack(std::vector<Variable>{x, x}).shape(), Shape({2, 2, 3}));
}

TEST_P(ArrayArgumentsTest, StandForAnOmittedArgumentIfUndefined) {
  const Array x = array::ones({2, 3});
  EXPECT_THAT(F::linear(x, array::ones({4, 3}), Array()).data(),
              IsArray(array::full({2, 4}, 3.0)));
}

TEST_P(ArrayArgumentsTest, OfOptionsConvertToo) {
  const Array x = array::array({1.0, 4.0});
  EXPECT_EQ(F::average(x, {.weights = array::array({3.0, 1.0})}).item<double>(),
            1.75);
}

TEST_P(ArrayArgumentsTest, LeaveArithmeticOfArraysAlone) {
  const Array a = array::ones({2});
  static_assert(std::same_as<decltype(a + a), Array>);
  static_assert(std::same_as<decltype(a - 1), Array>);
  static_assert(std::same_as<decltype(2 * a), Array>);
  static_assert(std::same_as<decltype(-a), Array>);
  static_assert(std::same_as<decltype(a / a[0]), Array>);
  static_assert(std::same_as<decltype(a * Variable(a)), Variable>);
  static_assert(std::same_as<decltype(Variable(a) * a), Variable>);
  EXPECT_THAT((a[0] + Variable(a)).data(), IsArray(a * 2));
}

}  // namespace
}  // namespace catena
