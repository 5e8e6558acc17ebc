#include "catena/functions/connection/internal/winograd_convolution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "catena/array/core/parallel.h"
#include "catena/tests/support/cpu_target_test.h"

namespace catena::array {
namespace {

using Floats = std::vector<float>;

Floats winograd_noise(int64_t count) {
  static std::mt19937 random(7);
  std::normal_distribution<float> normal;
  Floats values(count);
  for (float& value : values) value = normal(random);
  return values;
}

// What the definition adds up, and the same of absolute values.
struct Sums {
  std::vector<double> sums;
  std::vector<double> absolute;

  explicit Sums(size_t count) : sums(count), absolute(count) {}
  void add(int64_t i, double value) {
    sums[i] += value;
    absolute[i] += std::abs(value);
  }

  // An element's error is proportional to the largest sum of its tile: one at
  // the edge of an image may itself add up few products.
  void expect_close(const Floats& values, const char* what) const {
    const double scale = *std::max_element(absolute.begin(), absolute.end());
    double worst = 0;
    for (size_t i = 0; i < sums.size(); ++i) {
      const double error = std::abs(values[i] - sums[i]);
      if (!(error <= worst)) worst = error;
    }
    EXPECT_LE(worst, 1e-5 * scale) << what;
  }
};

struct WinogradCase {
  WinogradConvolution args;
  Floats x, W, y, b, residual;

  explicit WinogradCase(const WinogradConvolution& given) : args(given) {
    x = winograd_noise(args.batch * args.channels * args.height * args.width);
    W = winograd_noise(args.outputs * args.channels * 9);
    y = winograd_noise(args.batch * args.outputs * args.out_height() *
                       args.out_width());
    b = winograd_noise(args.outputs);
    residual = winograd_noise(static_cast<int64_t>(y.size()));
    args.x = x.data();
    args.W = W.data();
    args.y = y.data();
  }

  // Calls body(x, W, y) for every product that the definition adds up.
  template <class Body>
  void for_each_product(const Body& body) const {
    for (int64_t n = 0; n < args.batch; ++n) {
      for (int64_t w = 0; w < args.outputs * args.channels * 9; ++w) {
        const int64_t c = w / 9 % args.channels;
        const int64_t o = w / 9 / args.channels;
        for_each_product_with(w, n * args.channels + c, n * args.outputs + o,
                              body);
      }
    }
  }

  // Those of one weight and the images `in` of x and `out` of y.
  template <class Body>
  void for_each_product_with(int64_t w, int64_t in, int64_t out,
                             const Body& body) const {
    const int64_t down = w % 9 / 3 - args.pad[0];
    const int64_t across = w % 3 - args.pad[1];
    const int64_t begin = std::max<int64_t>(0, -across);
    const int64_t end = std::min(args.out_width(), args.width - across);
    for (int64_t i = 0; i < args.out_height(); ++i) {
      if (i + down < 0 || i + down >= args.height) continue;
      const int64_t seen = (in * args.height + i + down) * args.width + across;
      const int64_t row = (out * args.out_height() + i) * args.out_width();
      for (int64_t j = begin; j < end; ++j) body(seen + j, w, row + j);
    }
  }

  void check() {
    const WinogradKernels& kernels = kernel_slot<WinogradKernels>.on(Device());
    if (kernels.forward == nullptr) GTEST_SKIP() << "not for this target";
    check_forward(kernels);
    check_data(kernels);
    check_weights(kernels);
  }

  void check_forward(const WinogradKernels& kernels) {
    Sums sums(y.size());
    for_each_product([&](int64_t in, int64_t w, int64_t out) {
      sums.add(out, double{x[in]} * W[w]);
    });
    Floats result(y.size());
    args.y = result.data();
    kernels.forward(args);
    sums.expect_close(result, "forward");

    const int64_t places = args.out_height() * args.out_width();
    for (size_t i = 0; i < y.size(); ++i) {
      sums.add(i, b[i / places % args.outputs]);
    }
    args.b = b.data();
    kernels.forward(args);
    sums.expect_close(result, "with a bias");

    Floats transformed(winograd::weights_size(args.outputs, args.channels));
    kernels.transform_weights(args, transformed.data());
    Floats same(y.size());
    args.transformed = transformed.data();
    args.y = same.data();
    kernels.forward(args);
    EXPECT_EQ(result, same) << "with transformed weights";

    for (size_t i = 0; i < y.size(); ++i) {
      same[i] = std::max(0.0f, result[i] + residual[i]);
    }
    args.residual = residual.data();
    args.relu = true;
    args.y = result.data();
    kernels.forward(args);
    EXPECT_EQ(result, same) << "with a residual and relu";
    args.residual = args.y = residual.data();
    kernels.forward(args);
    EXPECT_EQ(residual, same) << "into the residual";
    args.y = y.data();
  }

  void check_data(const WinogradKernels& kernels) {
    Sums sums(x.size());
    for_each_product([&](int64_t in, int64_t w, int64_t out) {
      sums.add(in, double{y[out]} * W[w]);
    });
    Floats result(x.size());
    args.x = result.data();
    kernels.backward_data(args);
    sums.expect_close(result, "backward_data");
    args.x = x.data();
  }

  void check_weights(const WinogradKernels& kernels) {
    if (kernels.backward_weights == nullptr) return;
    Sums sums(W.size());
    for_each_product([&](int64_t in, int64_t w, int64_t out) {
      sums.add(w, double{x[in]} * y[out]);
    });
    Floats result(W.size());
    args.W = result.data();
    kernels.backward_weights(args);
    sums.expect_close(result, "backward_weights");
    args.W = W.data();
  }
};

WinogradConvolution geometry(int64_t batch, int64_t channels, int64_t height,
                             int64_t width, int64_t outputs, int64_t pad = 1) {
  WinogradConvolution args;
  args.batch = batch;
  args.channels = channels;
  args.height = height;
  args.width = width;
  args.outputs = outputs;
  args.pad[0] = args.pad[1] = pad;
  return args;
}

class WinogradConvolutionTest : public testing::CpuTargetTest {};

TEST_P(WinogradConvolutionTest, ImagesOfAnySize) {
  for (const int64_t size : {1, 2, 3, 4, 5, 6, 7, 9, 14, 17, 28, 33, 70}) {
    for (const int64_t pad : {0, 1, 2}) {
      if (size + 2 * pad < 3) continue;
      SCOPED_TRACE(std::to_string(size) + " pad " + std::to_string(pad));
      WinogradCase(geometry(size < 8 ? 9 : 1, 3, size, size + size % 3, 5, pad))
          .check();
    }
  }
}

TEST_P(WinogradConvolutionTest, BatchesOfAnySize) {
  for (int64_t batch = 1; batch <= 9; ++batch) {
    SCOPED_TRACE(batch);
    WinogradCase(geometry(batch, 4, 7, 5, 9)).check();
    WinogradCase(geometry(batch, 4, 15, 14, 9)).check();
  }
}

TEST_P(WinogradConvolutionTest, AnyNumberOfChannels) {
  for (const int64_t channels : {1, 7, 8, 15, 16, 17, 31, 33, 65}) {
    SCOPED_TRACE(channels);
    WinogradCase(geometry(2, channels, 9, 8, 66 - channels)).check();
  }
}

TEST_P(WinogradConvolutionTest, AxesMayHaveDifferentPads) {
  for (int64_t pad = 0; pad < 3; ++pad) {
    WinogradConvolution args = geometry(2, 3, 9, 21, 4, pad);
    args.pad[1] = 2 - pad;
    WinogradCase(args).check();
  }
}

// Weights, and tiles, that do not fit into the caches at once.
TEST_P(WinogradConvolutionTest, LargeOnes) {
  WinogradCase(geometry(2, 72, 22, 25, 40)).check();
  WinogradCase(geometry(2, 4, 490, 251, 5)).check();
}

TEST_P(WinogradConvolutionTest, ResultsDoNotDependOnTheNumberOfThreads) {
  const WinogradKernels& kernels = kernel_slot<WinogradKernels>.on(Device());
  if (kernels.forward == nullptr) GTEST_SKIP() << "not for this target";
  const int threads = get_num_threads();
  for (const int64_t size : {7, 30, 100}) {
    WinogradCase c(geometry(3, 20, size, size, 28));
    std::vector<Floats> results[3];
    for (const int count : {1, 2, 3, 5}) {
      set_num_threads(count);
      Floats x(c.x.size()), W(c.W.size()), y(c.y.size());
      WinogradConvolution args = c.args;
      args.y = y.data();
      kernels.forward(args);
      results[0].push_back(y);
      args = c.args;
      args.x = x.data();
      kernels.backward_data(args);
      results[1].push_back(x);
      if (kernels.backward_weights == nullptr) continue;
      args = c.args;
      args.W = W.data();
      kernels.backward_weights(args);
      results[2].push_back(W);
    }
    for (const std::vector<Floats>& result : results) {
      for (const Floats& one : result) EXPECT_EQ(one, result[0]) << size;
    }
  }
  set_num_threads(threads);
}

TEST_P(WinogradConvolutionTest, KeepsNaN) {
  WinogradCase c(geometry(1, 3, 8, 8, 4));
  const WinogradKernels& kernels = kernel_slot<WinogradKernels>.on(Device());
  if (kernels.forward == nullptr) GTEST_SKIP() << "not for this target";
  c.x[20] = NAN;
  c.args.relu = true;
  kernels.forward(c.args);
  EXPECT_TRUE(std::isnan(c.y[20]));
}

INSTANTIATE_TEST_SUITE_P(All, WinogradConvolutionTest,
                         testing::every_cpu_target(), testing::cpu_target_name);

}  // namespace
}  // namespace catena::array
