// The code of higher_order.md: compiled, run, and compared with the page.

#include "catena/docs/guide/higher_order_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;

TEST(HigherOrderPageTest, GradientsHaveGradients) {
  ::testing::internal::CaptureStdout();
  const Variable x(xp::array({{0.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}}));
  const Variable y = pow(x, 3);
  y.set_grad(xp::ones_like(y.array()));
  y.backward({.enable_double_backprop = true});
  const Variable gx = x.grad_var();
  std::cout << gx.array() << '\n';  // 3 x^2
  EXPECT_THAT(gx.array(), IsClose(3 * x.array() * x.array()));

  x.cleargrad();
  gx.set_grad(xp::ones_like(gx.array()));
  gx.backward();
  std::cout << x.grad() << '\n';  // 6 x
  EXPECT_THAT(x.grad(), IsClose(6 * x.array()));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "[[  0.  12.  27.]\n [ 48.  75. 108.]]\n"
            "[[ 0. 12. 18.]\n [24. 30. 36.]]\n");
}

TEST(HigherOrderPageTest, GradientsAccumulateWithoutCleargrad) {
  const Variable x(xp::array(2.0));
  pow(x, 3).backward({.enable_double_backprop = true});
  x.grad_var().backward();
  EXPECT_DOUBLE_EQ(x.grad().item<double>(), 3 * 4 + 6 * 2);
}

TEST(HigherOrderPageTest, NewtonsMethodFindsAMinimum) {
  ::testing::internal::CaptureStdout();
  Variable x(xp::array(2.0));
  for (int i = 0; i < 8; ++i) {
    const Variable y = pow(x, 4) - 3 * x;
    const Variable gx = grad({y}, {x}, {.enable_double_backprop = true})[0];
    const Variable ggx = grad({gx}, {x})[0];
    x = Variable(x.array() - gx.array() / ggx.array());
  }
  std::cout << x.array() << '\n';  // 0.9085602964160698
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "0.9085602964160698\n");
}

Variable hessian_times(const Variable& loss, const Variable& x,
                       const Array& v) {
  const Variable gx = grad({loss}, {x}, {.enable_double_backprop = true})[0];
  return grad({F::sum(gx * v)}, {x})[0];
}

TEST(HigherOrderPageTest, ProductsWithAHessian) {
  const Variable x(xp::array({1.0, 2.0}));
  const Variable loss =
      x[0] * x[0] * x[1];  // Hessian {{2 x1, 2 x0}, {2 x0, 0}}
  EXPECT_THAT(hessian_times(loss, x, xp::array({1.0, 10.0})).array(),
              IsClose(xp::array({24.0, 2.0})));
}

Variable gradient_penalty(Sequential& critic, const Array& batch) {
  const Variable x(batch);  // not as_variable: it needs a gradient
  const Variable gx =
      grad({critic(x)}, {x}, {.enable_double_backprop = true})[0];
  const Variable slopes = F::sqrt(F::sum(F::square(gx), 1));
  return F::mean(F::square(slopes - 1));
}

TEST(HigherOrderPageTest, APenaltyOfGradientsIsTrained) {
  xp::random::seed(0);
  const Array test = xp::random::normal(0, 1, {100, 2}, Dtype::kFloat32);
  Sequential critic(L::Linear(2, 16), F::tanh, L::Linear(16, 1));
  optimizers::Adam optimizer({.alpha = 0.01});
  optimizer.setup(critic);
  for (int i = 0; i < 200; ++i) {
    const Array batch = xp::random::normal(0, 1, {32, 2}, Dtype::kFloat32);
    optimizer.update([&] { return gradient_penalty(critic, batch); });
  }
  EXPECT_LT(gradient_penalty(critic, test).item<float>(), 0.05);
}

TEST(HigherOrderPageTest, APenaltyOfReluIsDifferentiableByWeightsOnly) {
  Sequential critic(L::Linear(2, 4, {.initialW = 1}), F::relu,
                    L::Linear(4, 1, {.initialW = 1}));
  const Variable x(xp::ones({1, 2}, Dtype::kFloat32));
  const Variable gx =
      grad({critic(x)}, {x}, {.enable_double_backprop = true})[0];
  F::sum(F::square(gx)).backward();
  EXPECT_GT(xp::sum(critic.at<L::Linear>(0).W.grad()).item<float>(), 0);
  EXPECT_TRUE(!x.grad().defined() || xp::array_equal(x.grad(), x.array() * 0));
}

TEST(HigherOrderPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/higher_order.md",
                                       "docs/guide/higher_order_md_test.cc", 7);
}

}  // namespace
