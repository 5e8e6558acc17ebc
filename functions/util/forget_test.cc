#include "catena/functions/util/forget.h"

#include <gmock/gmock.h>

#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/parameter.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

Variable multiply_and_add(const Variable& x, const Variable& y) {
  return x * y + x;
}

class ForgetTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Forget, ForgetTest, testing::every_device(),
                         testing::device_name);

TEST_P(ForgetTest, GradientsMatchFiniteDifferences) {
  testing::check_function_gradients(
      [](const Variable& x, const Variable& y) {
        return forget(multiply_and_add, x, y);
      },
      {testing::uniform({2, 3}), testing::uniform({2, 3})},
      {.second_order = false});
}

TEST_P(ForgetTest, ParametersInsideGetTheirGradients) {
  const Array x = testing::uniform({2, 3});
  const Parameter W(testing::uniform({3, 2}));
  const auto gradients = [&](bool forgets) {
    W.cleargrad();
    const Variable in(x);
    const auto f = [&](const Variable& v) { return matmul(v, W); };
    const Variable y = (forgets ? forget(f, in * 2) : f(in * 2)) * 3;
    y.set_grad(array::ones_like(y.data()));
    y.backward();
    return std::vector<Array>{in.grad(), W.grad()};
  };
  const std::vector<Array> expected = gradients(false);
  const std::vector<Array> actual = gradients(true);
  EXPECT_THAT(actual[0], testing::IsArray(expected[0]));
  EXPECT_THAT(actual[1], testing::IsArray(expected[1]));
}

TEST_P(ForgetTest, CallsTheFunctionOnceForwardAndOnceBackward) {
  int calls = 0;
  const Variable x(testing::uniform({3}));
  const Variable y = forget(
      [&](const Variable& v) {
        ++calls;
        return v * v;
      },
      x);
  EXPECT_EQ(calls, 1);
  y.set_grad(array::ones_like(y.data()));
  y.backward();
  EXPECT_EQ(calls, 2);
  // No graph but the one node.
  EXPECT_EQ(y.rank(), 1);
}

TEST_P(ForgetTest, PassesOnWhatIsReturnedAsItIsAndWhatNobodyUses) {
  const Variable x(testing::uniform({3}));
  const Variable y(testing::uniform({3}));
  const Variables results = forget(
      [](const Variable& a, const Variable& b) {
        return Variables{a, a * b};
      },
      x, y);
  results[0].set_grad(array::array({1.0, 2.0, 3.0}));
  results[0].backward();
  EXPECT_THAT(x.grad(), testing::IsArray(array::array({1.0, 2.0, 3.0})));
  EXPECT_FALSE(y.grad().defined());
}

TEST(ForgetErrorTest, NamesWhatIsWrong) {
  const Variable x(array::ones({2}));
  EXPECT_THAT(error_of<ValueError>([&] {
                forget([](const Variable&) { return Variable(); }, x);
              }),
              HasSubstr("forget: expected defined variables"));
  const Variable y = forget(multiply_and_add, x, x);
  EXPECT_THAT(error_of<GradientError>([&] {
                grad({y}, {x},
                     {.grad_outputs = {Variable(array::ones({2}))},
                      .enable_double_backprop = true});
              }),
              HasSubstr("forget: expected a gradient that "
                        "is not differentiated again"));
  int parts = 3;
  const Variables few =
      forget([&](const Variable& v) { return Variables(parts--, v * 2); }, x);
  EXPECT_THAT(error_of<ValueError>([&] {
                catena::backward({few[0]}, {Variable(array::ones({2}))});
              }),
              HasSubstr("expected 3 variables from the function as in its "
                        "first call, got 2"));
}

}  // namespace
}  // namespace catena::functions
