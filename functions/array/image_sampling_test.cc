// resize_images and the spatial transformer.

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/array/resize_images.h"
#include "catena/functions/array/spatial_transformer.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class ImageSamplingTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(ImageSampling, ImageSamplingTest,
                         testing::every_device(), testing::device_name);

TEST_P(ImageSamplingTest, GradientsMatchFiniteDifferences) {
  for (const char* mode : {"bilinear", "nearest"}) {
    for (const bool align : {true, false}) {
      testing::check_function_gradients(
          [&](const Variable& x) {
            return resize_images(x, {5, 3},
                                 {.mode = mode, .align_corners = align});
          },
          {testing::uniform({2, 2, 3, 4})});
    }
  }
  testing::check_function_gradients(
      [](const Variable& x) { return resize_images(x, 2); },
      {testing::uniform({0, 2, 3, 4})});
  testing::check_function_gradients(
      [](const Variable& theta) {
        return spatial_transformer_grid(theta, {3, 4});
      },
      {testing::uniform({2, 2, 3})});
  // Some positions of the wider grid are outside the images.
  for (const double extent : {0.95, 1.8}) {
    testing::check_function_gradients(
        spatial_transformer_sampler,
        {testing::uniform({2, 3, 4, 5}),
         testing::uniform({2, 2, 3, 2}, -extent, extent, Dtype::kFloat64, 7)});
  }
  testing::check_function_gradients(
      spatial_transformer_sampler,
      {testing::uniform({0, 3, 4, 5}), testing::uniform({0, 2, 3, 2})});
}

// The gradient of images of 2 x 2 elements, to which 64 x 64 cells add.
Array gradient_of_images(const Array& gy) {
  const Variable x(array::zeros({1, 3, 2, 2}, gy.dtype()));
  const Variable grid(testing::uniform({1, 2, 64, 64}, -1, 1, gy.dtype(), 7),
                      {.requires_grad = false});
  const Variable y = spatial_transformer_sampler(x, grid);
  y.set_grad(gy);
  y.backward();
  return x.grad();
}

// The order in which threads add must not show.
TEST_P(ImageSamplingTest, GradientsAreTheSameInEveryRun) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat64}) {
    const Array magnitudes =
        array::exp(testing::uniform({1, 3, 64, 64}, -30, 30, dtype, 5));
    const Array gy =
        magnitudes * testing::uniform({1, 3, 64, 64}, -1, 1, dtype, 6);
    const Array first = gradient_of_images(gy);
    for (int run = 0; run < 4; ++run) {
      EXPECT_THAT(gradient_of_images(gy), testing::IsArray(first));
    }
    const DeviceScope host(native_device());
    EXPECT_THAT(
        first.to_device(native_device()),
        testing::IsClose(gradient_of_images(gy.to_device(native_device())),
                         {.rtol = 1e-4, .atol = 1e7}));
  }
}

TEST_P(ImageSamplingTest, GradientsOfInfinityAreInfinite) {
  const Array gy = testing::uniform({1, 3, 64, 64}, -1, 1, Dtype::kFloat32, 6);
  gy[{0, 0}].fill(INFINITY);
  gy[{0, 1}].fill(-INFINITY);
  gy[{0, 2, 5}].fill(NAN);
  const Array gx = gradient_of_images(gy);
  EXPECT_TRUE(array::all(array::equal(gx[{0, 0}], INFINITY)).item<bool>());
  EXPECT_TRUE(array::all(array::equal(gx[{0, 1}], -INFINITY)).item<bool>());
  EXPECT_TRUE(array::all(array::isnan(gx[{0, 2}])).item<bool>());
}

// With a grid that has no gradient the sampler is linear.
TEST_P(ImageSamplingTest, ImagesCanBeDifferentiatedTwice) {
  const Array grid =
      testing::uniform({2, 2, 3, 2}, -1.2, 1.2, Dtype::kFloat64, 7);
  testing::check_function_gradients(
      [&](const Variable& x) {
        return spatial_transformer_sampler(x, as_variable(grid));
      },
      {testing::uniform({2, 3, 4, 5})});
}

// A recorded gradient is computed by other code than one that is not.
TEST_P(ImageSamplingTest, RecordedGradientsAreTheSame) {
  for (const Dtype dtype : testing::float_dtypes()) {
    const Variable x(testing::uniform({2, 3, 4, 5}, -1, 1, dtype));
    const Variable grid(testing::uniform({2, 2, 3, 2}, -2, 2, dtype, 7));
    const Variable gy(testing::uniform({2, 3, 3, 2}, -1, 1, dtype, 8));
    const auto gradients = [&](bool recorded) {
      return catena::grad(
          {spatial_transformer_sampler(x, grid)}, {x, grid},
          {.grad_outputs = {gy}, .enable_double_backprop = recorded});
    };
    const auto expected = gradients(false);
    const auto recorded = gradients(true);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(recorded[i].dtype(), dtype);
      EXPECT_THAT(recorded[i].data(), testing::IsClose(expected[i].data()));
    }
  }
}

TEST_P(ImageSamplingTest, TheIdentityLeavesImagesAsTheyAre) {
  const Array x = testing::uniform({1, 2, 3, 4});
  const Variable theta(array::array({{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}}));
  const Variable grid = spatial_transformer_grid(theta, {3, 4});
  EXPECT_THAT(spatial_transformer_sampler(Variable(x), grid).data(),
              testing::IsClose(x));
  EXPECT_THAT(resize_images(Variable(x), {3, 4}).data(), testing::IsClose(x));
}

TEST_P(ImageSamplingTest, AroundImagesThereAreZeros) {
  const Variable x(array::ones({1, 1, 3, 3}));
  const Variable grid(array::full({1, 2, 1, 1}, 3.0));
  EXPECT_THAT(spatial_transformer_sampler(x, grid).data(),
              testing::IsArray(array::zeros({1, 1, 1, 1})));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Variable nowhere(array::full({1, 2, 1, 1}, nan));
  EXPECT_EQ(spatial_transformer_sampler(x, nowhere).shape(),
            Shape({1, 1, 1, 1}));
}

TEST_P(ImageSamplingTest, EveryFloatDtypeIsKept) {
  for (const Dtype dtype : testing::float_dtypes()) {
    const Variable x(testing::uniform({1, 2, 4, 4}, -1, 1, dtype));
    const Variable y = resize_images(x, 3);
    EXPECT_EQ(y.dtype(), dtype);
    y.set_grad(array::ones_like(y.data()));
    y.backward();
    EXPECT_EQ(x.grad().dtype(), dtype);
    const Variable grid(testing::uniform({1, 2, 2, 2}, -1, 1, dtype));
    EXPECT_EQ(spatial_transformer_sampler(x, grid).dtype(), dtype);
  }
}

TEST(ImageSamplingErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({1, 2, 3, 4}));
  EXPECT_THAT(error_of<ValueError>([&] {
                resize_images(x, {0, 3});
              }),
              HasSubstr("expected output_shape of at least 1"));
  EXPECT_THAT(
      error_of<ValueError>([&] { resize_images(x, 3, {.mode = "cubic"}); }),
      HasSubstr("got \"cubic\""));
  EXPECT_THAT(error_of<InvalidType>([&] {
                resize_images(Variable(array::zeros({2, 3})), 3);
              }),
              HasSubstr("got x float64 (2, 3)"));
  EXPECT_THAT(error_of<InvalidType>([&] { spatial_transformer_grid(x, 3); }),
              HasSubstr("expected theta floating (N, 2, 3)"));
  EXPECT_THAT(
      error_of<InvalidType>([&] {
        spatial_transformer_sampler(x, Variable(array::zeros({1, 3, 1, 1})));
      }),
      HasSubstr("Expect: grid.shape[1] == 2"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                spatial_transformer_sampler(
                    x, Variable(array::zeros({1, 2, 1, 1}, Dtype::kFloat32)));
              }),
              HasSubstr("grid.dtype == x.dtype"));
}

}  // namespace
}  // namespace catena::functions
