#include <gmock/gmock.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/functions/connection/deformable_convolution_2d_sampler.h"
#include "catena/functions/connection/depthwise_convolution_2d.h"
#include "catena/functions/connection/local_convolution_2d.h"
#include "catena/functions/connection/shift.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::uniform;
using ::testing::HasSubstr;

Variable zeros(const Shape& shape, Dtype dtype = Dtype::kFloat32) {
  return Variable(array::zeros(shape, dtype));
}

template <class F>
void expect_rejected(const F& call, const std::string& message) {
  EXPECT_THAT(error_of<InvalidType>(call), HasSubstr(message));
}

class ConvolutionVariantsTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Variants, ConvolutionVariantsTest,
                         testing::every_device(), testing::device_name);

TEST_P(ConvolutionVariantsTest, GradientsMatchFiniteDifferences) {
  const auto second = [](const Shape& shape) {
    return uniform(shape, -1, 1, Dtype::kFloat64, 1);
  };
  const auto third = [](const Shape& shape) {
    return uniform(shape, -1, 1, Dtype::kFloat64, 2);
  };
  const auto depthwise = [](const Variable& x, const Variable& W,
                            const Variable& b) {
    return depthwise_convolution_2d(x, W, b, {.stride = 2, .pad = 1});
  };
  testing::check_function_gradients(
      depthwise, {uniform({2, 2, 3, 4}), second({2, 2, 2, 3}), third({4})});
  testing::check_function_gradients(
      depthwise, {uniform({0, 2, 3, 4}), second({2, 2, 2, 3}), third({4})});
  const auto local = [](const Variable& x, const Variable& W,
                        const Variable& b) {
    return local_convolution_2d(x, W, b, {.stride = {1, 2}});
  };
  testing::check_function_gradients(
      local,
      {uniform({2, 2, 3, 4}), second({2, 2, 2, 2, 2, 2}), third({2, 2, 2})});
  testing::check_function_gradients(
      local,
      {uniform({0, 2, 3, 4}), second({2, 2, 2, 2, 2, 2}), third({2, 2, 2})});
  const auto deformable = [](const Variable& x, const Variable& offset,
                             const Variable& W, const Variable& b) {
    return deformable_convolution_2d_sampler(x, offset, W, b,
                                             {.stride = {1, 2}, .pad = 1});
  };
  for (const int64_t samples : {2, 0}) {
    // Away from whole numbers, where the interpolation has kinks.
    testing::check_function_gradients(
        deformable, {uniform({samples, 2, 2, 3}),
                     uniform({samples, 8, 3, 2}, 0.2, 0.8, Dtype::kFloat64, 3),
                     second({2, 2, 2, 2}), third({2})});
  }
  const auto shift_far = [](const Variable& x) {
    return shift(x, {.ksize = {3, 1}, .dilate = {4, 1}});
  };
  testing::check_function_gradients(
      [](const Variable& x) {
        return shift(x, {.ksize = {1, 3}});
      },
      {uniform({2, 4, 3, 3})});
  testing::check_function_gradients(shift_far, {uniform({1, 3, 3, 2})});
  testing::check_function_gradients(shift_far, {uniform({0, 3, 3, 2})});
}

TEST_P(ConvolutionVariantsTest, WindowsThatDoNotMoveAreAConvolutions) {
  const Variable x(uniform({2, 3, 5, 6}, -1, 1, Dtype::kFloat32));
  const Variable W(uniform({4, 3, 3, 2}, -1, 1, Dtype::kFloat32, 1));
  const Variable expected = convolution_2d(x, W, {}, {.stride = 2, .pad = 1});
  const Shape& size = expected.shape();
  const auto moved = [&](double rows, double columns) {
    const Array offset =
        array::zeros({2, 12, size[2], size[3]}, Dtype::kFloat32);
    offset[{Slice(), Slice(0, 6)}].fill(columns);
    offset[{Slice(), Slice(6, 12)}].fill(rows);
    return deformable_convolution_2d_sampler(x, Variable(offset), W, {},
                                             {.stride = 2, .pad = 1})
        .data();
  };
  const testing::Tolerance tolerance = {.rtol = 1e-5, .atol = 1e-5};
  EXPECT_THAT(
      moved(0, 0).to_device(native_device()),
      testing::IsClose(expected.data().to_device(native_device()), tolerance));
  // One row further down is the convolution of what has moved up.
  const Array up = array::zeros(x.shape(), Dtype::kFloat32);
  up[{Slice(), Slice(), Slice(0, 4)}].assign(
      x.data()[{Slice(), Slice(), Slice(1, 5)}]);
  const Array lower =
      convolution_2d(Variable(up), W, {}, {.stride = 2, .pad = 1}).data();
  // The windows' first row saw the padding, and now sees x.
  const auto below_first = [&](const Array& y) {
    const Array part = y[{Slice(), Slice(), Slice(1, size[2])}];
    return part.to_device(native_device()).copy();
  };
  EXPECT_THAT(below_first(moved(1, 0)),
              testing::IsClose(below_first(lower), tolerance));
  // Far away there is nothing.
  EXPECT_THAT(moved(1e6, 0).to_device(native_device()),
              testing::IsClose(array::zeros(size, Dtype::kFloat32), tolerance));
  EXPECT_THAT(moved(0, -1e6).to_device(native_device()),
              testing::IsClose(array::zeros(size, Dtype::kFloat32), tolerance));
}

TEST(DeformableConvolution2DSamplerErrorTest, NamesWhatDoesNotFit) {
  const Variable x = zeros({1, 2, 4, 4});
  const Variable W = zeros({3, 2, 3, 3});
  const Variable offset = zeros({1, 18, 2, 2});
  expect_rejected(
      [&] {
        deformable_convolution_2d_sampler(x, zeros({1, 9, 2, 2}), W);
      },
      "Expect: offset.shape[1] == W.shape[2] * W.shape[3] * 2\n"
      "Actual: 9 != 18");
  expect_rejected(
      [&] {
        deformable_convolution_2d_sampler(x, zeros({1, 18, 2, 3}), W);
      },
      "Expect: offset.shape[2:4] == (2, 2), the positions of the window\n"
      "Actual: (2, 3)");
  expect_rejected(
      [&] {
        deformable_convolution_2d_sampler(x, zeros({2, 18, 2, 2}), W);
      },
      "Expect: offset.shape[0] == x.shape[0]");
  expect_rejected(
      [&] {
        deformable_convolution_2d_sampler(x, offset, zeros({3, 1, 3, 3}));
      },
      "Expect: W.shape[1] == x.shape[1]");
  expect_rejected(
      [&] {
        deformable_convolution_2d_sampler(x, offset, zeros({3, 2, 5, 5}));
      },
      "a window of (5, 5)");
  expect_rejected(
      [&] { deformable_convolution_2d_sampler(x, offset, W, zeros({2})); },
      "Expect: b.shape[0] == W.shape[0]");
}

TEST(DepthwiseConvolution2DErrorTest, NamesWhatDoesNotFit) {
  const Variable x = zeros({1, 2, 4, 4});
  expect_rejected(
      [&] {
        depthwise_convolution_2d(x, zeros({3, 4, 2, 2}));
      },
      "depthwise_convolution_2d (Forward)\n\n"
      "Expect: x.shape[1] == W.shape[1]\nActual: 2 != 4");
  expect_rejected(
      [&] {
        depthwise_convolution_2d(x, zeros({2, 2, 2}));
      },
      "Expect: W.ndim == 4");
  expect_rejected(
      [&] {
        depthwise_convolution_2d(x, zeros({3, 2, 5, 5}));
      },
      "a window of (5, 5)");
  expect_rejected(
      [&] {
        depthwise_convolution_2d(x, zeros({3, 2, 2, 2}), zeros({2}));
      },
      "Expect: b.shape[0] == W.shape[0]\nActual: 2 != 6");
}

TEST(LocalConvolution2DErrorTest, NamesWhatDoesNotFit) {
  const Variable x = zeros({1, 2, 4, 4});
  const Variable W = zeros({3, 3, 3, 2, 2, 2});
  expect_rejected(
      [&] {
        local_convolution_2d(x, zeros({3, 2, 3, 2, 2, 2}));
      },
      "Expect: W.shape[1:3] == (3, 3), the positions of the window\n"
      "Actual: (2, 3)");
  expect_rejected(
      [&] {
        local_convolution_2d(x, zeros({3, 3, 3, 4, 2, 2}));
      },
      "Expect: W.shape[3] == x.shape[1]\nActual: 4 != 2");
  expect_rejected(
      [&] {
        local_convolution_2d(x, zeros({3, 2, 2, 2}));
      },
      "Expect: W.ndim == 6");
  expect_rejected(
      [&] {
        local_convolution_2d(x, zeros({3, 1, 1, 2, 5, 2}));
      },
      "a window of (5, 2)");
  expect_rejected(
      [&] {
        local_convolution_2d(x, W, zeros({3, 3, 2}));
      },
      "Expect: b.shape[2] == W.shape[2]");
  expect_rejected(
      [&] {
        local_convolution_2d(zeros({1, 2, 4, 4}, Dtype::kInt32), W);
      },
      "x.dtype is floating");
  EXPECT_THAT(error_of<ValueError>(
                  [&] { local_convolution_2d(x, W, {}, {.stride = 0}); }),
              HasSubstr("stride of at least 1"));
}

TEST(ShiftErrorTest, NamesWhatDoesNotFit) {
  expect_rejected(
      [&] {
        shift(zeros({1, 8, 4, 4}));
      },
      "shift (Forward)\n\nExpect: x.shape[1] >= 9\nActual: 8 < 9");
  expect_rejected([&] { shift(zeros({9, 4, 4})); }, "Expect: x.ndim == 4");
  expect_rejected(
      [&] {
        shift(zeros({1, 9, 4, 4}, Dtype::kInt8));
      },
      "x.dtype is floating");
  EXPECT_THAT(error_of<ValueError>([&] {
                shift(zeros({1, 9, 4, 4}), {.ksize = 0});
              }),
              HasSubstr("ksize of at least 1"));
}

}  // namespace
}  // namespace catena::functions
