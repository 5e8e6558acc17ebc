// The code of forward_backward.md: compiled, run, and compared with the page.

#include "catena/docs/guide/forward_backward_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using ::testing::AllOf;
using ::testing::HasSubstr;

// The message of the exception that `code` throws.
template <class Exception, class Code>
std::string message(const Code& code) {
  try {
    code();
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(ForwardBackwardPageTest, ValuesAndGradientsOfOneElement) {
  ::testing::internal::CaptureStdout();
  const Variable x(xp::array({5.0f}));
  Variable y = pow(x, 2) - 2 * x + 1;
  std::cout << y.array() << '\n';  // [16.]
  y.backward();
  std::cout << x.grad() << '\n';  // [8.]
  EXPECT_FALSE(y.grad().defined());

  y = pow(x, 2) - 2 * x + 1;
  y.backward();
  std::cout << x.grad() << '\n';  // [16.]: 8 + 8
  x.cleargrad();                  // x.grad().defined() is false
  EXPECT_FALSE(x.grad().defined());

  const Variable z = 2 * x;
  y = pow(x, 2) - z + 1;
  y.backward({.retain_grad = true});
  std::cout << z.grad() << ' ' << y.grad() << '\n';  // [-1.] [1.]
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "[16.]\n[8.]\n[16.]\n[-1.] [1.]\n");
}

TEST(ForwardBackwardPageTest, ManyElementsNeedAGradient) {
  ::testing::internal::CaptureStdout();
  const Variable x(xp::array({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}}));
  const Variable y = pow(x, 2) - 2 * x + 1;
  y.set_grad(xp::ones_like(y.array()));
  y.backward();
  std::cout << x.grad() << '\n';
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "[[ 0.  2.  4.]\n [ 6.  8. 10.]]\n");

  const Array gx = x.grad();
  x.cleargrad();
  F::sum(pow(x, 2) - 2 * x + 1).backward();
  EXPECT_THAT(x.grad(), IsArray(gx));
  EXPECT_THAT(message<GradientError>([&] { y.backward(); }),
              HasSubstr("backward: expected a gradient at the output of shape "
                        "(2, 3); call set_grad first, or start from a scalar"));
}

TEST(ForwardBackwardPageTest, GradReturnsWithoutStoring) {
  const Variable a(xp::array(3.0f));
  const Variable b = a * a;
  const Variable c = 5 * b;
  const Variable by_b = grad({c}, {b})[0];  // 5
  const Variable by_a = grad({c}, {a})[0];  // 30
  EXPECT_EQ(by_b.item<float>(), 5);
  EXPECT_EQ(by_a.item<float>(), 30);
  EXPECT_FALSE(a.grad().defined());

  const Variable other(xp::array(1.0f));
  EXPECT_FALSE(grad({c}, {other})[0].defined());
  const Variable x(xp::array({1.0f, 2.0f}));
  EXPECT_THAT(grad({x * x}, {x})[0].array(), IsArray(xp::array({2.0f, 4.0f})));
  EXPECT_THAT(grad({x * x}, {x},
                   {.grad_outputs = {as_variable(xp::array({1.0f, 0.0f}))}})[0]
                  .array(),
              IsArray(xp::array({2.0f, 0.0f})));
}

TEST(ForwardBackwardPageTest, ConstantsGetNoGradient) {
  ::testing::internal::CaptureStdout();
  const Variable w(xp::array({1.0f, 2.0f}));
  const Variable data = as_variable(xp::array({3.0f, 4.0f}));
  F::sum(w * data).backward();
  std::cout << w.grad() << '\n';  // [3. 4.]; data.grad().defined() is false
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "[3. 4.]\n");
  EXPECT_FALSE(data.grad().defined());

  const Variable x(xp::ones({2, 3}, Dtype::kFloat32));
  const Variable labels(xp::array({1, 2}));
  F::softmax_cross_entropy(x, labels).backward();
  EXPECT_TRUE(x.grad().defined());
  EXPECT_FALSE(labels.grad().defined());
  x.cleargrad();
  F::sum(w * xp::array({5.0f, 6.0f})).backward();
  EXPECT_THAT(w.grad(), IsArray(xp::array({8.0f, 10.0f})));
}

TEST(ForwardBackwardPageTest, TheTrapsAreReal) {
  const Variable w(xp::array({1.0f}));
  const Variable wide(xp::array({5.0}));
  EXPECT_THAT(message<InvalidType>([&] { wide* w; }),
              HasSubstr("Expect: lhs.dtype == rhs.dtype"));
  EXPECT_EQ((2 * w).dtype(), Dtype::kFloat32);

  const Variable y = w * 3;
  F::sum(Variable(y.array())).backward();
  EXPECT_FALSE(w.grad().defined());

  y.backward();
  y.backward();
  EXPECT_THAT(w.grad(), IsArray(xp::array({6.0f})));

  const DebugMode debug(true);
  EXPECT_THAT(message<GradientError>([&] { F::log(-1 * w); }),
              AllOf(HasSubstr("log"), HasSubstr("NaN")));
}

TEST(ForwardBackwardPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/forward_backward.md",
                                       "docs/guide/forward_backward_md_test.cc",
                                       7);
}

}  // namespace
