#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <optional>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/autograd/config.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/functions/pooling/spatial_pyramid_pooling_2d.h"
#include "catena/functions/pooling/unpooling.h"
#include "catena/tests/support/cudnn_comparison.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class PoolingTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Pooling, PoolingTest, testing::every_device(),
                         testing::device_name);

TEST_P(PoolingTest, GradientsMatchFiniteDifferences) {
  // Distinct numbers, so that no small step changes which is the largest.
  const auto distinct = [](const Shape& shape) {
    const Array order = array::arange(size_of(shape)) * 7 % 97;
    return (order.astype(Dtype::kFloat64) / 10.0).reshape(shape);
  };
  const MaxPoolingOptions max{.stride = 2, .pad = 1};
  const AveragePoolingOptions average{.stride = 2, .pad = 1};
  const AveragePoolingOptions valid{
      .stride = 2, .pad = 1, .pad_value = std::nullopt};
  const Array image = distinct({2, 2, 4, 5});
  testing::check_function_gradients(
      [&](const Variable& x) { return max_pooling_2d(x, 3, max); }, {image});
  testing::check_function_gradients(
      [&](const Variable& x) { return average_pooling_2d(x, 3, average); },
      {image});
  testing::check_function_gradients(
      [&](const Variable& x) { return average_pooling_2d(x, 3, valid); },
      {image});
  testing::check_function_gradients(
      [](const Variable& x) { return unpooling_2d(x, 3, {.stride = 2}); },
      {image});
  testing::check_function_gradients(
      [](const Variable& x) { return max_pooling_2d(x, 2); },
      {distinct({0, 2, 4, 5})});
  testing::check_function_gradients(
      [](const Variable& x) { return average_pooling_2d(x, 2); },
      {distinct({2, 0, 4, 5})});
  testing::check_function_gradients(
      [](const Variable& x) { return spatial_pyramid_pooling_2d(x, 2); },
      {image});
  MaxPooling2D pooling(2);
  pooling(Variable(image));
  testing::check_function_gradients(
      [&](const Variable& x) {
        return upsampling_2d(x, pooling.indexes, pooling.ksize,
                             {.outsize = Spatial{4, 5}});
      },
      {distinct({2, 2, 2, 3})});
}

// Rows that are longer than the blocks they are computed in, in all dtypes and
// steps, against the windows one by one.
TEST_P(PoolingTest, CudnnChangesNothing) {
  // Windows that fit, with padding and without; those that run over the end,
  // more padding than window and the means of elements alone are left to us.
  for (const Spatial& pad : {Spatial(0), Spatial(1), Spatial({2, 0})}) {
    for (const bool cover_all : {false, true}) {
      testing::check_cudnn_changes_nothing(
          [&](const Variable& x) {
            return max_pooling_2d(
                x, 2, {.stride = 2, .pad = pad, .cover_all = cover_all});
          },
          {testing::uniform({2, 3, 7, 6})});
    }
    for (const std::optional<double> pad_value :
         {std::optional<double>(0), std::optional<double>()}) {
      testing::check_cudnn_changes_nothing(
          [&](const Variable& x) {
            return average_pooling_2d(
                x, 3, {.stride = 2, .pad = pad, .pad_value = pad_value});
          },
          {testing::uniform({2, 3, 7, 6})});
    }
  }
  testing::check_cudnn_changes_nothing(
      [](const Variable& x) {
        return max_pooling_1d(x, 3, {.stride = 1}) +
               average_pooling_1d(x, 3, {.stride = 1});
      },
      {testing::uniform({2, 3, 8})});
  testing::check_cudnn_changes_nothing(
      [](const Variable& x) { return average_pooling_3d(x, 2); },
      {testing::uniform({2, 3, 4, 5, 6})});
  testing::check_cudnn_changes_nothing(
      [](const Variable& x) { return unpooling_2d(x, 2); },
      {testing::uniform({2, 3, 4, 5})});
}

TEST_P(PoolingTest, LongRowsAgreeWithTheirWindows) {
  for (const Dtype dtype : testing::float_dtypes()) {
    for (const int64_t stride : {1, 2, 3}) {
      const Array x = testing::uniform({1, 2, 3, 301}, -1, 1, dtype);
      const Variable all =
          max_pooling_2d(Variable(x), {2, 3}, {.stride = stride});
      const Variable mean =
          average_pooling_2d(Variable(x), {2, 3}, {.stride = stride});
      for (const int64_t i : {0, 1, 41, 42, 43, 63, 64, 65, 98, 99}) {
        const int64_t first = i * stride;
        const Variable window(
            x[{Slice(), Slice(), Slice(0, 2), Slice(first, first + 3)}].copy());
        EXPECT_THAT((all.data()[{Slice(), Slice(), 0, i}]),
                    testing::IsArray(
                        max_pooling_2d(window, {2, 3}).data().reshape({1, 2})));
        EXPECT_THAT(
            (mean.data()[{Slice(), Slice(), 0, i}]),
            testing::IsClose(
                average_pooling_2d(window, {2, 3}).data().reshape({1, 2})));
      }
    }
  }
}

// Sums of gradients are not rounded on the way, however many there are.
TEST_P(PoolingTest, HalfGradientsAreSummedInFloat) {
  const Variable x(array::zeros({1, 1, 1, 40}, Dtype::kFloat16));
  x.data()[{0, 0, 0, 20}].fill(1);
  const Variable y = max_pooling_2d(x, {1, 21}, {.stride = 1});
  y.set_grad(array::full({1, 1, 1, 20}, 1.0 / 3, Dtype::kFloat16));
  y.backward();
  const double third = array::full({}, 1.0 / 3, Dtype::kFloat16).item<double>();
  EXPECT_THAT((x.grad()[{0, 0, 0, 20}]),
              testing::IsArray(array::full({}, 20 * third, Dtype::kFloat16)));
}

// The order of the spatial axes makes no difference: code that treats the last
// ones in a way of their own must agree with the rest.
TEST_P(PoolingTest, ManyAxesInAnyOrder) {
  const Shape size = {2, 3, 1, 2, 3};
  const Shape stride = {1, 2, 1, 2, 1};
  const Shape pad = {1, 0, 0, 1, 1};
  const Axes reverse = {0, 1, 6, 5, 4, 3, 2};
  const auto reversed = [](const Shape& shape) {
    return Shape{shape[4], shape[3], shape[2], shape[1], shape[0]};
  };
  const Shape shape = {2, 2, 3, 4, 2, 3, 4};
  const Array order = array::arange(size_of(shape)) * 7 % 1153;
  const Array x = order.astype(Dtype::kFloat64).reshape(shape);
  const auto expect_same = [&](const auto& pool) {
    const Variable a(x);
    const Variable b(x.transpose(reverse).copy());
    const Variable y = pool(a, size, stride, pad);
    const Variable z = pool(b, reversed(size), reversed(stride), reversed(pad));
    EXPECT_THAT(z.data().transpose(reverse), testing::IsArray(y.data()));
    const Array gy = array::arange(y.size()).astype(Dtype::kFloat64);
    y.set_grad(gy.reshape(y.shape()));
    z.set_grad(y.grad().transpose(reverse).copy());
    y.backward();
    z.backward();
    EXPECT_THAT(b.grad().transpose(reverse), testing::IsArray(a.grad()));
  };
  expect_same([](const Variable& x, const Shape& size, const Shape& stride,
                 const Shape& pad) {
    return max_pooling_nd(x, size,
                          {.stride = stride, .pad = pad, .cover_all = false});
  });
  // Whole numbers, so that the order of a sum makes no difference.
  expect_same([](const Variable& x, const Shape& size, const Shape& stride,
                 const Shape& pad) {
    return average_pooling_nd(x, size, {.stride = stride, .pad = pad});
  });
}

// Windows of 2 x 2, which have code of their own, against a loop: ties, NaN and
// infinities, rows of every length around that of a register, rows left over.
TEST_P(PoolingTest, SquaresOfFourTakeTheFirstOfTheLargest) {
  const double kinds[] = {0, 1, kNaN, 2, -kInfinity, 2, 1, kInfinity, 0, -1};
  const DeviceScope on_host(native_device());
  for (const Dtype dtype : testing::float_dtypes()) {
    for (const int64_t width : {2, 3, 8, 24, 31, 32, 34, 35, 70}) {
      const int64_t height = 5;
      const int64_t columns = width / 2;
      const DeviceScope host(native_device());
      Array x = array::empty({2, 3, height, width});
      for (int64_t i = 0; i < x.size(); ++i) {
        x.data<double>()[i] = kinds[i * i % 97 % 10];
      }
      Array y = array::empty({2, 3, height / 2, columns});
      Array taps = array::empty(y.shape(), Dtype::kInt32);
      const Array gy = array::arange(1, 1 + y.size()).reshape(y.shape());
      Array gx = array::zeros_like(x);
      for (int64_t i = 0; i < y.size(); ++i) {
        const int64_t image = i / columns / (height / 2);
        const int64_t row = 2 * (i / columns % (height / 2));
        double best = -kInfinity;
        int32_t tap = 0;
        const auto element_of = [&](int32_t k) {
          return (image * height + row + k / 2) * width + 2 * (i % columns) +
                 k % 2;
        };
        for (int32_t k = 0; k < 4; ++k) {
          const double v = x.data<double>()[element_of(k)];
          if (std::isnan(best) || v <= best) continue;
          best = v;
          tap = k;
        }
        y.data<double>()[i] = best;
        taps.data<int32_t>()[i] = tap;
        gx.data<double>()[element_of(tap)] = static_cast<double>(i + 1);
      }
      const Variable input(x.astype(dtype).to_device(device()));
      Array indices;
      Variable result = max_pooling_2d(
          input, 2, {.cover_all = false, .return_indices = &indices});
      EXPECT_THAT(result.data(), testing::IsArray(y.astype(dtype)));
      EXPECT_THAT(indices, testing::IsArray(taps));
      result.set_grad(gy.astype(dtype).to_device(device()));
      result.backward();
      EXPECT_THAT(input.grad(), testing::IsArray(gx.astype(dtype)));
      const ConfigScope<bool> scope(&Config::enable_backprop, false);
      EXPECT_THAT(max_pooling_2d(input, 2, {.cover_all = false}).data(),
                  testing::IsArray(y.astype(dtype)));
    }
  }
}

TEST_P(PoolingTest, NaNIsTheLargest) {
  const Variable x(array::array({{{1.0, kNaN, 3.0, 5.0, -kInfinity, 2.0}}}));
  Array indices;
  const Variable y = max_pooling_1d(x, 3, {.return_indices = &indices});
  EXPECT_THAT(y.data(), testing::IsArray(array::array({{{kNaN, 5.0}}})));
  EXPECT_THAT(indices,
              testing::IsArray(array::array({{{1, 0}}}, Dtype::kInt32)));
}

TEST_P(PoolingTest, WindowsInPaddingAreMinusInfinityOrNaN) {
  const Variable x(array::ones({1, 1, 1}));
  const Variable y = max_pooling_1d(x, 1, {.pad = 1});
  EXPECT_THAT(y.data(), testing::IsArray(
                            array::array({{{-kInfinity, 1.0, -kInfinity}}})));
  y.set_grad(array::ones_like(y.data()));
  y.backward();
  EXPECT_THAT(x.grad(), testing::IsArray(array::ones({1, 1, 1})));
  const Variable mean =
      average_pooling_1d(x, 1, {.pad = 1, .pad_value = std::nullopt});
  EXPECT_THAT(mean.data(),
              testing::IsArray(array::array({{{kNaN, 1.0, kNaN}}})));
}

TEST_P(PoolingTest, UpsamplingPutsNothingOutsideOfWindows) {
  const Variable x(array::ones({1, 1, 1, 1}));
  for (const int index : {-1, 4, 1000}) {
    const Array indexes = array::full({1, 1, 1, 1}, index, Dtype::kInt32);
    EXPECT_THAT(upsampling_2d(x, indexes, 2).data(),
                testing::IsArray(array::zeros({1, 1, 1, 1})))
        << index;
  }
}

TEST_P(PoolingTest, MaxPooling2DUndoesItself) {
  MaxPooling2D pooling(2, {.stride = 2, .cover_all = false});
  const Variable x(
      array::array({{{{1.0, 9.0, 2.0, 3.0}, {4.0, 5.0, 8.0, 7.0}}}}));
  const Variable y = pooling(x);
  EXPECT_THAT(pooling.indexes,
              testing::IsArray(array::array({{{{1, 2}}}}, Dtype::kInt32)));
  EXPECT_THAT(
      upsampling_2d(y, pooling.indexes, pooling.ksize,
                    {.stride = pooling.stride, .outsize = Spatial{2, 4}})
          .data(),
      testing::IsArray(
          array::array({{{{0.0, 9.0, 0.0, 0.0}, {0.0, 0.0, 8.0, 0.0}}}})));
}

TEST_P(PoolingTest, WithoutAGraphResultsAreTheSame) {
  const Variable x(testing::uniform({2, 3, 7, 9}));
  const Variable y = max_pooling_2d(x, 3, {.stride = 2});
  const auto scope = no_backprop_mode();
  EXPECT_THAT(max_pooling_2d(x, 3, {.stride = 2}).data(),
              testing::IsArray(y.data()));
}

TEST(PoolingErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({1, 2, 4, 5}));
  EXPECT_THAT(error_of<InvalidType>([&] { max_pooling_1d(x, 2); }),
              HasSubstr("max_pooling_1d (Forward)\n\nExpect: x.ndim == 3"));
  EXPECT_THAT(error_of<InvalidType>([&] { average_pooling_3d(x, 2); }),
              HasSubstr("average_pooling_3d (Forward)\n\nExpect: x.ndim == 5"));
  EXPECT_THAT(error_of<InvalidType>([&] { unpooling_1d(x, 2); }),
              HasSubstr("unpooling_1d"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                max_pooling_nd(Variable(array::zeros({1, 2})), 2);
              }),
              HasSubstr("x.ndim >= 3"));
  const Variable integers =
      as_variable(array::zeros({1, 2, 4, 5}, Dtype::kInt32));
  EXPECT_THAT(error_of<InvalidType>([&] { max_pooling_2d(integers, 2); }),
              HasSubstr("int32"));
  EXPECT_THAT(error_of<InvalidType>([&] { average_pooling_2d(integers, 2); }),
              HasSubstr("int32"));
  EXPECT_THAT(
      error_of<InvalidType>(
          [&] { max_pooling_2d(x, 7, {.cover_all = false}); }),
      HasSubstr("max_pooling_2d: expected a window that fits into x with "
                "its padding, got ksize 7 and pad 0 for extent 4"));
  EXPECT_THAT(error_of<ValueError>([&] {
                max_pooling_2d(x, {2, 2, 2});
              }),
              HasSubstr("expected one number as ksize or one for each of "
                        "2 spatial axes"));
  EXPECT_THAT(
      error_of<ValueError>([&] { max_pooling_2d(x, 2, {.stride = 0}); }),
      HasSubstr("expected stride of at least 1"));
  EXPECT_THAT(
      error_of<ValueError>([&] { average_pooling_2d(x, 2, {.pad = -1}); }),
      HasSubstr("expected pad of at least 0"));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { average_pooling_2d(x, 2, {.pad_value = 1.0}); }),
              HasSubstr("expected pad_value 0 or none, got 1"));
  EXPECT_THAT(
      error_of<InvalidType>([&] {
        unpooling_2d(x, 2, {.outsize = Spatial{12, 10}});
      }),
      HasSubstr(
          "unpooling_2d: expected outsize with 4 windows along spatial axis "
          "0 for x (1, 2, 4, 5), got 12 with 6"));
  EXPECT_THAT(error_of<ValueError>([&] {
                upsampling_2d(x, array::zeros({1}, Dtype::kInt32), 2);
              }),
              HasSubstr("expected indexes int32 (1, 2, 4, 5) on native:0, got "
                        "int32 (1,) on native:0"));
  EXPECT_THAT(error_of<ValueError>([&] { spatial_pyramid_pooling_2d(x, 0); }),
              HasSubstr("got 0"));
  EXPECT_THAT(error_of<ValueError>([&] {
                spatial_pyramid_pooling_2d(x, 1, {.pooling = "average"});
              }),
              HasSubstr("got \"average\""));
  EXPECT_THAT(error_of<InvalidType>([&] {
                spatial_pyramid_pooling_2d(Variable(array::zeros({2})), 1);
              }),
              HasSubstr("with 4 axes"));
}

}  // namespace
}  // namespace catena::functions
