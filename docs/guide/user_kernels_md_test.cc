// The code of user_kernels.md: compiled, run, and compared with the page.

#include "catena/docs/guide/user_kernels_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(UserKernelsPageTest, ElementwiseKernels) {
  const xp::ElementwiseKernel squared_diff("float32 x, float32 y", "float32 z",
                                           "z = (x - y) * (x - y)",
                                           "squared_diff");
  const Array x = xp::arange(10, Dtype::kFloat32).reshape(2, 5);
  const Array y = xp::arange(5, Dtype::kFloat32);
  Array a = squared_diff(x, y);  // (2, 5): y in every row
  Array b = squared_diff(x, 5);
  Array z = xp::empty({2, 5}, Dtype::kFloat32);
  squared_diff(x, y, z);  // into z
  EXPECT_THAT(a, IsArray((x - y) * (x - y)));
  EXPECT_THAT(b, IsArray((x - 5) * (x - 5)));
  EXPECT_THAT(z, IsArray(a));

  const xp::ElementwiseKernel generic("T x, T y", "T z",
                                      "T d = x - y; z = d * d", "generic");
  Array halves = generic(x.astype(Dtype::kFloat16), 5);  // float16
  Array integers = generic(xp::arange(3), 5);            // int64
  EXPECT_THAT(halves, IsArray(b.astype(Dtype::kFloat16)));
  EXPECT_THAT(integers, IsArray(xp::array({25, 16, 9})));

  const xp::ElementwiseKernel mixed("X x, Y y", "Z z", "z = (x - y) * (x - y)",
                                    "mixed");
  Array out = xp::empty({3}, Dtype::kFloat64);
  mixed(xp::arange(3), xp::ones({3}, Dtype::kFloat32), out);
  EXPECT_THAT(out, IsArray(xp::array({1.0, 0.0, 1.0})));
  EXPECT_THAT([&] { mixed(xp::arange(3), xp::ones({3})); },
              ThrowsMessage<Error>(HasSubstr("mixed")));
}

TEST(UserKernelsPageTest, RawArrays) {
  const xp::ElementwiseKernel add_reverse(
      "T x, raw T y", "T z", "z = x + y[n - i - 1]", "add_reverse");
  Array w = add_reverse(xp::arange(4), xp::arange(4) * 10);  // 30, 21, 12, 3
  EXPECT_THAT(w, IsArray(xp::array({30, 21, 12, 3})));
  const Array every_second = xp::arange(8)[{Slice(0, 8, 2)}];
  EXPECT_THAT(add_reverse(xp::zeros({4}, Dtype::kInt64), every_second),
              IsArray(xp::array({6, 4, 2, 0})));

  const xp::ElementwiseKernel pair_sums(
      "raw T x", "T y", "y = x[2 * i] + x[2 * i + 1]", "pair_sums");
  Array sums = pair_sums({xp::arange(6)}, {.size = 3});  // 1, 5, 9
  EXPECT_THAT(sums, IsArray(xp::array({1, 5, 9})));
  EXPECT_THROW(pair_sums(xp::arange(6)), ValueError);

  const xp::ElementwiseKernel count("T x", "raw int32 bins",
                                    "atomicAdd(&bins[(int)x], 1)", "count");
  Array bins = xp::zeros({3}, Dtype::kInt32);
  count(xp::array({2.5, 0.1, 2.9, 1.0}), bins);  // 1, 1, 2
  EXPECT_THAT(bins, IsArray(xp::array({1, 1, 2}, Dtype::kInt32)));
}

TEST(UserKernelsPageTest, Reductions) {
  const Array x = xp::arange(10, Dtype::kFloat32).reshape(2, 5);
  const Array y = xp::arange(5, Dtype::kFloat32);
  const xp::ReductionKernel l2norm("T x",          // inputs
                                   "T y",          // outputs
                                   "x * x",        // map
                                   "a + b",        // reduce
                                   "y = sqrt(a)",  // finish
                                   "0",            // identity
                                   "l2norm");
  Array all = l2norm(x);                                       // 0-d
  Array rows = l2norm({x}, {.axis = 1});                       // (2,)
  Array columns = l2norm({x}, {.axis = 0, .keepdims = true});  // (1, 5)
  EXPECT_THAT(all, IsClose(xp::sqrt(xp::sum(x * x))));
  EXPECT_THAT(rows, IsClose(xp::array({5.477226f, 15.968719f})));
  EXPECT_THAT(columns,
              IsClose(xp::sqrt(xp::sum(x * x, {.axis = 0, .keepdims = true}))));

  const xp::ReductionKernel distance("T x, T y", "T d", "(x - y) * (x - y)",
                                     "a + b", "d = sqrt(a)", "0", "distance");
  Array distances = distance({x, y}, {.axis = 1});  // of each row of x from y
  EXPECT_THAT(distances, IsClose(xp::array({0.0f, 11.18034f})));

  Array e =
      xp::elementwise([](float p, float q) { return p < q ? q : p; }, x, 4);
  Array largest =
      xp::reduce([](float p, float q) { return p < q ? q : p; }, 0.0f, x, 1);
  EXPECT_THAT(e, IsArray(xp::maximum(x, 4)));
  EXPECT_THAT(largest, IsArray(xp::array({4.0f, 9.0f})));
}

TEST(UserKernelsPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page(
      "docs/guide/user_kernels.md", "docs/guide/user_kernels_md_test.cc", 10);
}

}  // namespace
