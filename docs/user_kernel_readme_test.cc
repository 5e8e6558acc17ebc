// The code of array/user_kernel/README.md: compiled, run, and compared with the
// page.

#include "catena/docs/user_kernel_readme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsClose;

TEST(UserKernelReadmeTest, ThreeKindsOfKernels) {
  const Array x = xp::array({{1.0F, 2.0F}, {3.0F, 4.0F}});
  xp::ElementwiseKernel squared_diff("T x, T y", "T z", "z = (x - y) * (x - y)",
                                     "squared_diff");
  Array z = squared_diff(x, 5);

  xp::ReductionKernel l2norm("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0",
                             "l2norm");
  Array norm = l2norm(x);

  Array w = xp::elementwise([](float x, float z) { return x * z + 1; }, x, z);
  EXPECT_THAT(z, IsClose(xp::array({{16.0F, 9.0F}, {4.0F, 1.0F}})));
  EXPECT_THAT(norm, IsClose(xp::sqrt(xp::sum(x * x))));
  EXPECT_THAT(w, IsClose(x * z + 1));
}

TEST(UserKernelReadmeTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("array/user_kernel/README.md",
                                       "docs/user_kernel_readme_test.cc", 2);
}

}  // namespace
