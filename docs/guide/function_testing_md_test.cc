// The code of function_testing.md: compiled, run, and compared with the page.

#include "catena/docs/guide/function_testing_md.h"

#include <gmock/gmock.h>

#include <string>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::away_from_zero;
using catena::testing::IsClose;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class Softplus : public FunctionNode {
 public:
  std::string_view label() const override { return "softplus"; }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0});
    return {xp::log1p(xp::exp(in[0]))};
  }

  Variables backward(const Indexes& /*wanted*/, const Variables& gy) override {
    return {gy[0] * F::tanh(retained_input(0))};
  }
};

// With the right derivative, but on arrays.
class Cut : public Softplus {
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0] * F::sigmoid(retained_input(0).data())};
  }
};

TEST(FunctionTestingPageTest, DifferencesFindMistakes) {
  const Array x = xp::array({{1.0, -2.0}, {0.5, 3.0}});
  const Array gy = xp::array({{1.0, 0.5}, {-2.0, 3.0}});
  const std::vector<Array> g = gradient_check::numerical_grad(
      [&] { return x * x; }, {x}, {gy});  // 2 x gy
  EXPECT_THAT(g[0], IsClose(x * 2 * gy, {.rtol = 1e-6}));

  EXPECT_THROW(
      {
        const Variable v(x);
        const Variable y = apply<Softplus>({v});
        y.set_grad(gy);
        y.backward();
        const std::vector<Array> expected = gradient_check::numerical_grad(
            [&] { return apply<Softplus>({v}).data(); }, {x}, {gy});
        gradient_check::assert_allclose(v.grad(),
                                        expected[0]);  // throws GradientError
      },
      GradientError);

  ::testing::internal::CaptureStdout();
  const auto softplus = [](const Variable& x) { return apply<Softplus>({x}); };
  try {
    gradient_check::check_backward(softplus, {x}, {gy});
  } catch (const GradientError& error) {
    std::cout << error.what() << '\n';
  }
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(text, HasSubstr("check_backward: the gradient of input 0 is "
                              "wrong: 4 of 4 elements differ, max error 0.54"));
  EXPECT_THAT(text, HasSubstr(" at (0, 1): expected 0.0596"));
}

TEST(FunctionTestingPageTest, TheSecondOrderFindsMore) {
  const Array x = xp::array({{1.0, -2.0}, {0.5, 3.0}});
  const Array gy = xp::ones({2, 2});
  const auto right = [](const Variable& x) { return F::softplus(x); };
  gradient_check::check_backward(right, {x}, {gy});
  gradient_check::check_double_backward(right, {x}, {gy}, {xp::ones({2, 2})});

  const auto cut = [](const Variable& x) { return apply<Cut>({x}); };
  gradient_check::check_backward(cut, {x}, {gy});
  EXPECT_THAT(
      [&] {
        gradient_check::check_double_backward(cut, {x}, {gy},
                                              {xp::ones({2, 2})});
      },
      ThrowsMessage<GradientError>(HasSubstr("actual (backward): none")));
}

TEST(FunctionTestingPageTest, KinksAreFound) {
  const Array x = xp::array({0.0004, 1.0}), gy = xp::ones({2});
  EXPECT_THROW(gradient_check::check_backward(F::relu, {x}, {gy}),
               GradientError);
  EXPECT_THROW(gradient_check::check_backward(
                   F::relu, {x}, {gy}, {}, {.detect_nondifferentiable = true}),
               gradient_check::NondifferentiableError);
  gradient_check::check_backward(F::relu, {away_from_zero({2})}, {gy});
}

TEST(FunctionTestingPageTest, Float16NeedsDifferencesInFloat64) {
  const Array x = xp::array({{1.0, -2.0}, {0.5, 1.5}}, catena::Dtype::kFloat16);
  const Array gy = xp::ones_like(x);
  EXPECT_THROW(gradient_check::check_backward(F::exp, {x}, {gy}),
               GradientError);
  gradient_check::check_backward(
      F::exp, {x}, {gy}, {},
      {.atol = 1e-2, .rtol = 1e-2, .dtype = catena::Dtype::kFloat64});
}

// Forgets gy.
class WithoutGy : public Softplus {
  Variables backward(const Indexes&, const Variables&) override {
    return {F::sigmoid(retained_input(0))};
  }
};

TEST(FunctionTestingPageTest, OnesHideAForgottenFactor) {
  const Array x = xp::array({0.5, 1.5});
  const auto f = [](const Variable& x) { return apply<WithoutGy>({x}); };
  gradient_check::check_backward(f, {x}, {xp::ones({2})});
  EXPECT_THROW(gradient_check::check_backward(f, {x}, {xp::full({2}, 3.0)}),
               GradientError);
}

Variable squared_distance(const Variable& x, const Variable& y) {
  return F::sum(F::square(x - y), 1);
}

TEST(SquaredDistanceTest, HasGradients) {
  catena::testing::check_function_gradients(
      [](const Variables& in) { return squared_distance(in[0], in[1]); },
      {catena::testing::uniform({3, 4}),
       catena::testing::uniform({3, 4}, 1, 2)});
}

TEST(SquaredDistanceTest, IsTheSameOnEveryDevice) {
  catena::testing::numpy_cupy_allclose([] {
    const Array x = xp::arange(6.0).reshape(2, 3);
    return squared_distance(x, x * x).data();
  });
}

TEST(FunctionTestingPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/function_testing.md",
                                       "docs/guide/function_testing_md_test.cc",
                                       7);
}

}  // namespace
