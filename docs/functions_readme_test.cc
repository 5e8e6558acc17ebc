// The code of functions/README.md: compiled, run, and compared with the page.

#include "catena/docs/functions_readme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/function_gradients.h"

namespace {

using catena::testing::uniform;

TEST(FunctionsReadmeTest, ALossHasGradients) {
  const Variable x(uniform({4, 3})), W(uniform({5, 3})), b(uniform({5}));
  const Variable t(catena::array::array({0, 1, 4, 2}));
  Variable h = F::relu(F::linear(x, W, b));
  Variable loss = F::softmax_cross_entropy(h, t, {.ignore_label = 0}) +
                  0.5 * F::sum(pow(W, 2));
  loss.backward();
  EXPECT_EQ(W.grad().shape(), W.shape());
  EXPECT_EQ(loss.ndim(), 0);
}

TEST(FunctionsReadmeTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("functions/README.md",
                                       "docs/functions_readme_test.cc", 2);
}

}  // namespace
