#include "catena/functions/connection/internal/winograd_forward.h"

#include <gtest/gtest.h>

#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::functions {
namespace {

using testing::IsClose;

Window window_of(int64_t ksize, int64_t stride, int64_t pad,
                 int64_t dilate = 1) {
  return {.ksize = {ksize, ksize},
          .stride = {stride, stride},
          .pad = {pad, pad},
          .dilate = {dilate, dilate}};
}

Array noise(const Shape& shape) {
  return array::random::normal(0, 1, shape, Dtype::kFloat32);
}

TEST(WinogradForwardTest, AddsWhatTheEpilogueSays) {
  if (!suits_winograd({2, 32, 20, 20}, 40, window_of(3, 1, 1))) {
    GTEST_SKIP() << "this CPU's kernels have no Winograd convolutions";
  }
  array::random::seed(1);
  const Array x = noise({2, 32, 20, 20});
  const Array W = noise({40, 32, 3, 3});
  const Array b = noise({40});
  const Array residual = noise({2, 40, 20, 20});
  const WinogradWeights weights(W);
  EXPECT_EQ(weights.outputs(), 40);
  EXPECT_EQ(weights.channels(), 32);
  const Array plain =
      convolution_2d(Variable(x), Variable(W), {}, {.pad = 1}).data();
  const Array biased = plain + b.reshape({1, 40, 1, 1});
  const testing::Tolerance tolerance = {.rtol = 0, .atol = 1e-4};
  const Array y = array::empty_like(plain);
  winograd_forward(x, weights, {1, 1}, {}, y);
  EXPECT_THAT(y, IsClose(plain, tolerance));
  winograd_forward(x, weights, {1, 1}, {.b = b}, y);
  EXPECT_THAT(y, IsClose(biased, tolerance));
  winograd_forward(x, weights, {1, 1},
                   {.b = b, .residual = residual, .relu = true}, y);
  EXPECT_THAT(y, IsClose(array::maximum(biased + residual, 0), tolerance));
}

TEST(WinogradForwardTest, SuitsWindowsOf3x3WithManyChannels) {
  const Shape x = {8, 64, 28, 28};
  if (!suits_winograd(x, 64, window_of(3, 1, 1))) {
    GTEST_SKIP() << "this CPU's kernels have no Winograd convolutions";
  }
  EXPECT_TRUE(suits_winograd(x, 64, window_of(3, 1, 0)));
  EXPECT_TRUE(suits_winograd(x, 64, window_of(3, 1, 2)));
  EXPECT_FALSE(suits_winograd(x, 64, window_of(3, 1, 3)));
  EXPECT_FALSE(suits_winograd(x, 64, window_of(3, 2, 1)));
  EXPECT_FALSE(suits_winograd(x, 64, window_of(3, 1, 2, 2)));
  EXPECT_FALSE(suits_winograd(x, 64, window_of(5, 1, 2)));
  EXPECT_FALSE(suits_winograd(x, 3, window_of(3, 1, 1)));
  EXPECT_FALSE(suits_winograd({8, 3, 28, 28}, 64, window_of(3, 1, 1)));
  EXPECT_FALSE(suits_winograd({8, 64, 28}, 64, {{3}, {1}, {1}, {1}}));
  // Too small, and mostly empty tiles.
  EXPECT_FALSE(suits_winograd({1, 16, 8, 8}, 16, window_of(3, 1, 1)));
  EXPECT_FALSE(suits_winograd({64, 64, 5, 1}, 64, window_of(3, 1, 1)));
}

}  // namespace
}  // namespace catena::functions
