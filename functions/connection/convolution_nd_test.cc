#include "catena/functions/connection/convolution_nd.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/testing/live_objects.h"
#include "catena/functions/connection/winograd.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/spatial.h"
#include "catena/tests/support/cudnn_comparison.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsClose;
using ::catena::testing::uniform;
using ::testing::HasSubstr;

class ConvolutionTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Convolution, ConvolutionTest, testing::every_device(),
                         testing::device_name);

TEST_P(ConvolutionTest, GradientsMatchFiniteDifferences) {
  const auto check = [](const ConvolutionOptions& options, const Shape& x,
                        const Shape& W) {
    testing::check_function_gradients(
        [&](const Variable& x, const Variable& W, const Variable& b) {
          return convolution_nd(x, W, b, options);
        },
        {uniform(x), uniform(W, -1, 1, Dtype::kFloat64, 1),
         uniform({W[0]}, -1, 1, Dtype::kFloat64, 2)});
  };
  check({}, {2, 3, 4, 3}, {2, 3, 3, 2});
  check({.stride = 2, .pad = {0, 1}, .cover_all = true}, {2, 2, 3, 4},
        {3, 2, 2, 2});
  check({.dilate = 2, .groups = 2}, {1, 4, 5}, {2, 2, 2});
  check({.groups = 2}, {2, 2, 3}, {4, 1, 1});
  // Some places are seen by nothing, and one is outside.
  check({.stride = 2}, {2, 2, 5, 4}, {3, 2, 1, 1});
  check({.stride = 2, .cover_all = true}, {1, 2, 4}, {3, 2, 1});
  check({}, {1, 1, 2, 2, 2, 2}, {1, 1, 2, 1, 2, 1});
  check({}, {0, 2, 3, 3}, {2, 2, 2, 2});
  check({}, {2, 0, 3, 3}, {2, 0, 2, 2});
  check({}, {2, 1, 3}, {0, 1, 2});
}

TEST(ConvolutionMemoryTest, FrozenWeightsLetTheInputGo) {
  const Variable x(array::zeros({1, 8, 32, 32}));
  const Variable W = as_variable(array::zeros({1, 8, 1, 1}));
  const testing::ExpectNoSurvivors survivors;
  {
    const Variable y = convolution_nd(x + x, W);
    EXPECT_LT(survivors.bytes(), x.data().nbytes());
  }
}

// What the definition says, one element after the other.
Array convolve_slowly(const Array& x, const Array& W,
                      const ConvolutionOptions& options) {
  const Shape stride = options.stride.on_axes(2, 1, "", "");
  const Shape pad = options.pad.on_axes(2, 0, "", "");
  const int64_t N = x.shape()[0], C = x.shape()[1], h = x.shape()[2],
                w = x.shape()[3];
  const int64_t O = W.shape()[0], c = W.shape()[1], kh = W.shape()[2],
                kw = W.shape()[3];
  const int64_t oh = get_conv_outsize(h, kh, stride[0], pad[0]);
  const int64_t ow = get_conv_outsize(w, kw, stride[1], pad[1]);
  Array y = array::zeros({N, O, oh, ow}, Dtype::kFloat64, native_device());
  const double* in = x.data<double>();
  const double* weights = W.data<double>();
  double* out = y.data<double>();
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t o = 0; o < O; ++o) {
      const int64_t first = o / (O / options.groups) * (C / options.groups);
      for (int64_t u = 0; u < oh; ++u) {
        for (int64_t v = 0; v < ow; ++v) {
          double sum = 0;
          for (int64_t i = 0; i < c * kh * kw; ++i) {
            const int64_t row = u * stride[0] + i / kw % kh - pad[0];
            const int64_t column = v * stride[1] + i % kw - pad[1];
            if (row < 0 || row >= h || column < 0 || column >= w) continue;
            sum += in[((n * C + first + i / kw / kh) * h + row) * w + column] *
                   weights[o * c * kh * kw + i];
          }
          *out++ = sum;
        }
      }
    }
  }
  return y;
}

// Every algorithm in float32: Winograd's, direct ones with few and with many
// channels, pointwise, and channels that fill no block.
TEST_P(ConvolutionTest, CudnnChangesNothing) {
  const Array b = testing::uniform({4}, -1, 1, Dtype::kFloat64, 1);
  testing::check_cudnn_changes_nothing(
      [](const Variable& x, const Variable& W, const Variable& b) {
        return convolution_nd(
            x, W, b, {.stride = 2, .pad = 1, .dilate = 2, .groups = 2});
      },
      {testing::uniform({2, 4, 9, 8}),
       testing::uniform({4, 2, 3, 2}, -1, 1, Dtype::kFloat64, 2), b});
  testing::check_cudnn_changes_nothing(
      [](const Variable& x, const Variable& W, const Variable& b) {
        return convolution_nd(x, W, b);
      },
      {testing::uniform({2, 3, 9}),
       testing::uniform({4, 3, 3}, -1, 1, Dtype::kFloat64, 2), b});
}

TEST_P(ConvolutionTest, LargeOnesAreWhatTheDefinitionSays) {
  struct Case {
    Shape x, W;
    ConvolutionOptions options;
  };
  const Case cases[] = {
      {{2, 32, 18, 21}, {48, 32, 3, 3}, {.pad = 1}},
      {{2, 16, 24, 24}, {32, 16, 3, 3}, {}},
      {{2, 3, 17, 19}, {20, 3, 5, 5}, {.stride = 2, .pad = 2}},
      {{2, 20, 12, 12}, {50, 20, 5, 5}, {}},
      {{2, 19, 9, 8}, {33, 19, 1, 1}, {}},
      {{3, 70, 12, 13}, {80, 70, 1, 1}, {}},
      {{2, 70, 23, 24}, {80, 70, 1, 1}, {.stride = 2}},
      {{1, 32, 11, 12}, {32, 1, 3, 3}, {.pad = 1, .groups = 32}},
      {{1, 24, 9, 9}, {36, 8, 3, 3}, {.stride = {2, 1}, .groups = 3}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(to_string(c.x) + to_string(c.W));
    const Array x = uniform(c.x);
    const Array W = uniform(c.W, -1, 1, Dtype::kFloat64, 1);
    // In units of what one output adds up.
    const double scale = std::sqrt(static_cast<double>(W.size() / c.W[0]));
    const Array expected =
        convolve_slowly(x.to_device(native_device()),
                        W.to_device(native_device()), c.options) /
        scale;
    const Variable narrow_x(x.astype(Dtype::kFloat32));
    const Variable narrow_W(W.astype(Dtype::kFloat32));
    const Variable y = convolution_2d(narrow_x, narrow_W, {}, c.options);
    const testing::Tolerance tolerance = {.rtol = 0, .atol = 1e-5};
    EXPECT_THAT(
        (y.data().to_device(native_device()) / scale).astype(Dtype::kFloat64),
        IsClose(expected, tolerance));
    // The gradients are those of float64, which are checked above.
    const Array gy = uniform(y.shape(), -1, 1, Dtype::kFloat64, 2);
    const Variable wide_x(x);
    const Variable wide_W(W);
    const Variable wide_y = convolution_2d(wide_x, wide_W, {}, c.options);
    y.set_grad(gy.astype(Dtype::kFloat32));
    wide_y.set_grad(gy);
    y.backward();
    wide_y.backward();
    const auto expect_gradient = [&](const Variable& narrow,
                                     const Variable& wide, double scale) {
      EXPECT_THAT(
          (narrow.grad().to_device(native_device()) / scale)
              .astype(Dtype::kFloat64),
          IsClose(wide.grad().to_device(native_device()) / scale, tolerance));
    };
    expect_gradient(narrow_x, wide_x,
                    std::sqrt(static_cast<double>(W.size() / c.W[1])));
    expect_gradient(narrow_W, wide_W,
                    std::sqrt(static_cast<double>(y.size() / c.W[0])));
  }
}

TEST_P(ConvolutionTest, SixteenBitFloatsAreAddedUpInFloat32) {
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBFloat16}) {
    const Variable x(array::ones({1, 1024, 3, 3}, dtype));
    const Variable W(array::full({1, 1024, 3, 3}, 0.25, dtype));
    const Variable b(array::full({1}, 3, dtype));
    const Variable y = convolution_2d(x, W, b);
    ASSERT_EQ(y.dtype(), dtype);
    EXPECT_NEAR(y.data().item<double>(), 2307,
                dtype == Dtype::kFloat16 ? 1 : 8);
    y.backward();
    EXPECT_EQ(x.grad().dtype(), dtype);
    EXPECT_EQ(W.grad().dtype(), dtype);
    EXPECT_EQ(b.grad().dtype(), dtype);
  }
}

// y and the gradients of x and W, with a pad of 1.
std::array<Array, 3> convolve_with(Usage usage, const Array& x, const Array& W,
                                   const Array& gy) {
  const auto scope = using_config(&Config::use_onednn, usage);
  const Variable in(x);
  const Variable weights(W);
  const Variable y = convolution_2d(in, weights, {}, {.pad = 1});
  y.set_grad(gy);
  y.backward();
  return {y.data(), in.grad(), weights.grad()};
}

// More than what is brought into oneDNN's layout at once, in parts of different
// sizes, against kernels of our own.
TEST(ConvolutionOneDnnTest, AgreesWithTheWayWithoutIt) {
  const Array x = uniform({7, 32, 96, 128}, -1, 1, Dtype::kFloat32);
  const Array W = uniform({32, 32, 3, 3}, -1, 1, Dtype::kFloat32, 1);
  const Array gy = uniform({7, 32, 96, 128}, -1, 1, Dtype::kFloat32, 2);
  const auto expected = convolve_with(Usage::kNever, x, W, gy);
  const auto actual = convolve_with(Usage::kAuto, x, W, gy);
  EXPECT_THAT(actual[0], IsClose(expected[0], {.rtol = 1e-4, .atol = 2e-4}));
  EXPECT_THAT(actual[1], IsClose(expected[1], {.rtol = 1e-4, .atol = 2e-4}));
  // Sums of 86,000 products.
  EXPECT_THAT(actual[2], IsClose(expected[2], {.rtol = 1e-4, .atol = 2e-3}));
}

// Numbers of channels for which kernels of our own are chosen, for all passes
// or some.
TEST(ConvolutionOneDnnTest, AgreesWhereChannelsDoNotFillItsBlocks) {
  const int threads = get_num_threads();
  set_num_threads(2);
  for (const auto& [in, out] :
       {std::pair{1, 20}, {3, 12}, {20, 50}, {10, 32}, {40, 6}}) {
    const Array x = uniform({9, in, 13, 11}, -1, 1, Dtype::kFloat32);
    const Array W = uniform({out, in, 3, 3}, -1, 1, Dtype::kFloat32, 1);
    const Array gy = uniform({9, out, 13, 11}, -1, 1, Dtype::kFloat32, 2);
    const auto expected = convolve_with(Usage::kAlways, x, W, gy);
    for (const Usage usage : {Usage::kNever, Usage::kAuto}) {
      const auto actual = convolve_with(usage, x, W, gy);
      for (int i = 0; i < 3; ++i) {
        EXPECT_THAT(actual[i],
                    IsClose(expected[i], {.rtol = 1e-4, .atol = 2e-4}))
            << in << " to " << out << " channels, " << usage << ", array " << i;
      }
    }
  }
  set_num_threads(threads);
}

// y and the gradients of x and W.
std::array<Array, 3> convolve_by(bool winograd, const Array& x, const Array& W,
                                 const Array& gy,
                                 const ConvolutionOptions& options) {
  set_winograd(winograd);
  const Variable in(x);
  const Variable weights(W);
  const Variable y = convolution_2d(in, weights, {}, options);
  y.set_grad(gy);
  y.backward();
  set_winograd(true);
  return {y.data(), in.grad(), weights.grad()};
}

TEST(ConvolutionWinogradTest, AgreesWithTheWayWithoutIt) {
  for (const int64_t pad : {0, 1, 2}) {
    const Array x = uniform({3, 21, 13, 32}, -1, 1, Dtype::kFloat32)
                        .transpose({0, 3, 2, 1});
    const Array W = uniform({48, 32, 3, 3}, -1, 1, Dtype::kFloat32, 1);
    const Array gy =
        uniform({3, 48, 11 + 2 * pad, 19 + 2 * pad}, -1, 1, Dtype::kFloat32, 2);
    const ConvolutionOptions options = {.pad = pad};
    const auto expected = convolve_by(false, x, W, gy, options);
    const auto actual = convolve_by(true, x, W, gy, options);
    for (int i = 0; i < 3; ++i) {
      EXPECT_THAT(actual[i], IsClose(expected[i], {.rtol = 0, .atol = 1e-4}))
          << "pad " << pad << ", array " << i;
    }
  }
}

TEST(ConvolutionWinogradTest, IsTheSameForAnyNumberOfThreads) {
  const int threads = get_num_threads();
  const Array x = uniform({3, 32, 17, 30}, -1, 1, Dtype::kFloat32);
  const Array W = uniform({48, 32, 3, 3}, -1, 1, Dtype::kFloat32, 1);
  const Array gy = uniform({3, 48, 17, 30}, -1, 1, Dtype::kFloat32, 2);
  set_num_threads(1);
  const auto expected = convolve_by(true, x, W, gy, {.pad = 1});
  set_num_threads(2);
  const auto actual = convolve_by(true, x, W, gy, {.pad = 1});
  set_num_threads(threads);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(actual[i], IsClose(expected[i], {.rtol = 0, .atol = 0}));
  }
}

TEST(ConvolutionThreadTest, ResultsDoNotDependOnWhereTheyAreComputed) {
  const Array x = uniform({2, 32, 16, 16}, -1, 1, Dtype::kFloat32);
  const Array W = uniform({32, 32, 3, 3}, -1, 1, Dtype::kFloat32, 1);
  const auto convolve = [&] {
    return convolution_2d(Variable(x), Variable(W), {}, {.pad = 1}).data();
  };
  const Array expected = convolve();
  // Inside a parallel region oneDNN stays on one thread.
  Array results[4];
  cpu::parallel_for(4, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) results[i] = convolve();
  });
  for (const Array& result : results) {
    EXPECT_THAT(result, IsClose(expected, {.rtol = 1e-5, .atol = 1e-4}));
  }
}

TEST(ConvolutionErrorTest, NamesWhatDoesNotFit) {
  const auto zeros = [](const Shape& shape, Dtype dtype = Dtype::kFloat32) {
    return Variable(array::zeros(shape, dtype));
  };
  const Variable x = zeros({2, 4, 5, 6});
  const Variable W = zeros({3, 4, 3, 3});
  const auto rejects = [](const auto& call, const std::string& message) {
    EXPECT_THAT(error_of<InvalidType>(call), HasSubstr(message));
  };
  rejects(
      [&] {
        convolution_2d(x, zeros({3, 5, 3, 3}));
      },
      "Invalid operation is performed in: convolution_2d (Forward)\n\n"
      "Expect: W.shape[1] * groups == x.shape[1]\nActual: 5 != 4\n"
      "Inputs: x float32 (2, 4, 5, 6), W float32 (3, 5, 3, 3)");
  rejects(
      [&] {
        convolution_2d(x, zeros({3, 2, 3, 3}), {}, {.groups = 2});
      },
      "Expect: W.shape[0] % groups == 0\nActual: 1 != 0");
  rejects(
      [&] {
        convolution_2d(x, zeros({3, 4, 8, 3}), {}, {.pad = 1});
      },
      "Expect: a window of (8, 3) with dilate (1, 1) fits into x and its "
      "pad (1, 1)\nActual: spatial axes (5, 6)");
  rejects(
      [&] {
        convolution_2d(x, zeros({3, 4, 0, 3}));
      },
      "Expect: W.shape[2] > 0");
  rejects([&] { convolution_1d(x, W); }, "Expect: x.ndim == 3\nActual: 4 != 3");
  rejects(
      [&] {
        convolution_nd(zeros({2, 4}), zeros({3, 4}));
      },
      "Expect: x.ndim > 2");
  rejects(
      [&] {
        convolution_nd(x, zeros({3, 4, 3}));
      },
      "Expect: W.ndim == x.ndim");
  rejects(
      [&] {
        convolution_2d(x, zeros({3, 4, 3, 3}, Dtype::kFloat64));
      },
      "Expect: W.dtype == x.dtype\nActual: float64 != float32");
  rejects(
      [&] {
        convolution_2d(zeros({2, 4, 5, 6}, Dtype::kInt32), W);
      },
      "x.dtype is floating");
  rejects([&] { convolution_2d(x, W, zeros({4})); },
          "Expect: b.shape[0] == W.shape[0]\nActual: 4 != 3");
  rejects([&] { convolution_2d(x, W, zeros({3, 1})); }, "Expect: b.ndim == 1");
  rejects([&] { convolution_2d(x, W, zeros({3}, Dtype::kFloat16)); },
          "Expect: b.dtype == x.dtype");
  EXPECT_THAT(
      error_of<ValueError>([&] { convolution_2d(x, W, {}, {.groups = 0}); }),
      HasSubstr("convolution_2d: expected groups of at least 1, got 0"));
  EXPECT_THAT(error_of<ValueError>([&] {
                convolution_2d(x, W, {}, {.stride = {1, 1, 1}});
              }),
              HasSubstr("2 spatial axes"));
  EXPECT_THAT(
      error_of<ValueError>([&] { convolution_2d(x, W, {}, {.dilate = 0}); }),
      HasSubstr("dilate of at least 1"));
  EXPECT_THAT(
      error_of<ValueError>([&] { convolution_2d(x, W, {}, {.pad = -1}); }),
      HasSubstr("pad of at least 0"));
}

}  // namespace
}  // namespace catena::functions
