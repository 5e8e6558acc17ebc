// The code of tests/testing/README.md: compiled, run, and compared with the
// page.

#include "catena/docs/testing_readme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"

namespace {

Variable squared_norm(const Variable& x) { return F::sum(x * x); }

TEST(SquaredNormTest, HasGradients) {
  check_function_gradients(
      [](const auto& x) { return std::vector{squared_norm(x[0])}; },
      {uniform({3, 4})});
}

TEST(TestingReadmeTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("tests/testing/README.md",
                                       "docs/testing_readme_test.cc", 2);
}

}  // namespace
