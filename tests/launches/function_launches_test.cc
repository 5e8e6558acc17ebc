// Counts the launches of functions.

#include <gtest/gtest.h>

#include <cstdint>

#include "catena/array/channels_last.h"
#include "catena/array/core/device.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/matmul.h"
#include "catena/autograd/variable.h"
#include "catena/cuda/emulation/runtime.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/split_axis.h"
#include "catena/functions/array/stack.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/normalization/batch_normalization.h"

namespace catena {
namespace {

namespace F = functions;

constexpr Device kGpu = cuda_device(0);

template <class Work>
int64_t launches_of(Work work) {
  const int64_t before = cuda::emulation::launches();
  work();
  return cuda::emulation::launches() - before;
}

Array ones(const Shape& shape, Dtype dtype = Dtype::kFloat32) {
  return array::ones(shape, dtype, kGpu);
}

// Statistics, what follows from them, and the results; the same for gradients.
// A residual and relu are part of them, and so are averages and parameters of
// any dtype.
TEST(FunctionLaunchesTest, BatchNormalizationTakesThreeEachWay) {
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kFloat32}) {
    for (const Dtype parameter : {Dtype::kFloat16, Dtype::kFloat32}) {
      for (const bool is_fused : {false, true}) {
        for (const bool channels_last : {false, true}) {
          const auto make_images = [&] {
            const Array images = ones({8, 3, 4, 4}, dtype);
            return channels_last ? array::in_channels_last(images) : images;
          };
          const Array images = make_images();
          const Variable x(images);
          const Variable gamma(ones({3}, parameter));
          const Variable beta(ones({3}, parameter));
          const Variable residual(images);
          F::BatchNormalizationOptions options = {
              .running_mean = ones({3}, parameter),
              .running_var = ones({3}, parameter)};
          if (is_fused) {
            options.residual = residual;
            options.relu = true;
          }
          Variable y;
          EXPECT_EQ(launches_of([&] {
                      y = F::batch_normalization(x, gamma, beta, options);
                    }),
                    3);
          y.set_grad(make_images());
          EXPECT_EQ(launches_of([&] { y.backward(); }), 3);
        }
      }
    }
  }
}

Variables variables(int count, const Shape& shape) {
  Variables xs;
  for (int i = 0; i < count; ++i) xs.push_back(Variable(ones(shape)));
  return xs;
}

// Once for 64 arrays, however they lie in the result.
TEST(FunctionLaunchesTest, JoiningTakesOne) {
  const Variables xs = variables(20, {35, 6});
  EXPECT_EQ(launches_of([&] { F::concat(xs, {.axis = 0}); }), 1);
  EXPECT_EQ(launches_of([&] { F::concat(xs, {.axis = 1}); }), 1);
  for (const int64_t axis : {0, 1, 2}) {
    EXPECT_EQ(launches_of([&] { F::stack(xs, {.axis = axis}); }), 1);
  }
  const Variables many = variables(150, {3});
  EXPECT_EQ(launches_of([&] { F::concat(many, {.axis = 0}); }), 3);
}

// A fork's parts are views; their gradients are joined.
TEST(FunctionLaunchesTest, SplittingTakesOneBackward) {
  const Variable x(ones({12, 6}));
  Variables parts;
  EXPECT_EQ(launches_of([&] { parts = F::split_axis(x, 3, 1); }), 0);
  const Array gy = ones({12, 2});
  EXPECT_EQ(launches_of([&] {
              grad({parts.begin(), parts.end()}, {x},
                   {.grad_outputs = {3, as_variable(gy)}});
            }),
            1);
}

// The addresses of the matrices; products are cuBLAS's.
TEST(FunctionLaunchesTest, ProductsOfHeadsTakeOne) {
  const Array qkv = ones({3, 16, 3, 2, 8}).transpose({2, 0, 3, 1, 4});
  EXPECT_EQ(launches_of([&] {
              array::matmul(qkv[0], qkv[1], {.transb = true, .alpha = 0.5});
            }),
            1);
}

TEST(FunctionLaunchesTest, DropoutTakesTwo) {
  const Variable x(ones({40, 30}));
  Variable y;
  EXPECT_EQ(launches_of([&] { y = F::dropout(x); }), 1);
  y.set_grad(ones({40, 30}));
  EXPECT_EQ(launches_of([&] { y.backward(); }), 1);
}

}  // namespace
}  // namespace catena
