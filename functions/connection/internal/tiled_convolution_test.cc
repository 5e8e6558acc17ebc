#include "catena/functions/connection/internal/tiled_convolution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "catena/array/core/parallel.h"
#include "catena/tests/support/cpu_target_test.h"

namespace catena::array {
namespace {

using Floats = std::vector<float>;

// -2 to 2, so that all sums are exact.
Floats integers(int64_t count) {
  static std::mt19937 random(7);
  Floats values(count);
  for (float& value : values) {
    value = static_cast<float>(static_cast<int>(random() % 5) - 2);
  }
  return values;
}

// The arrays of a convolution and what it is.
struct Case {
  TiledConvolution args;
  Floats x, W, y, b;

  explicit Case(TiledConvolution given) : args(given) {
    args.out_height = outputs(args.height, 0);
    args.out_width = outputs(args.width, 1);
    x = integers(args.batch * args.channels * args.height * args.width);
    W = integers(args.outputs * args.channels * args.ksize[0] * args.ksize[1]);
    y = integers(args.batch * args.outputs * args.out_height * args.out_width);
    b = integers(args.outputs);
    args.x = x.data();
    args.W = W.data();
    args.y = y.data();
    args.b = nullptr;
  }

  int64_t outputs(int64_t extent, int axis) const {
    const int64_t window = (args.ksize[axis] - 1) * args.dilate[axis] + 1;
    return (extent + 2 * args.pad[axis] - window) / args.stride[axis] + 1;
  }

  // Calls body(x, W, y) for every product that the definition adds up.
  template <class Body>
  void for_each_product(const Body& body) const {
    for (int64_t n = 0; n < args.batch; ++n) {
      for (int64_t o = 0; o < args.outputs; ++o) {
        for (int64_t i = 0; i < args.out_height; ++i) {
          for (int64_t j = 0; j < args.out_width; ++j) {
            for_each_seen(n, o, i, j, body);
          }
        }
      }
    }
  }

  template <class Body>
  void for_each_seen(int64_t n, int64_t o, int64_t i, int64_t j,
                     const Body& body) const {
    const int64_t out =
        ((n * args.outputs + o) * args.out_height + i) * args.out_width + j;
    for (int64_t c = 0; c < args.channels; ++c) {
      for (int64_t k = 0; k < args.ksize[0]; ++k) {
        for (int64_t l = 0; l < args.ksize[1]; ++l) {
          const int64_t down =
              i * args.stride[0] + k * args.dilate[0] - args.pad[0];
          const int64_t across =
              j * args.stride[1] + l * args.dilate[1] - args.pad[1];
          if (down < 0 || down >= args.height || across < 0 ||
              across >= args.width) {
            continue;
          }
          body(
              ((n * args.channels + c) * args.height + down) * args.width +
                  across,
              ((o * args.channels + c) * args.ksize[0] + k) * args.ksize[1] + l,
              out);
        }
      }
    }
  }

  void check() {
    const TiledConvolutionKernels& kernels =
        kernel_slot<TiledConvolutionKernels>.on(Device());
    Floats expected(x.size());
    for_each_product([&](int64_t in, int64_t w, int64_t out) {
      expected[in] += W[w] * y[out];
    });
    const Floats given = x;
    kernels.backward_data(args);
    EXPECT_EQ(x, expected) << "backward_data";
    std::copy(given.begin(), given.end(), x.begin());

    expected.assign(W.size(), 0);
    for_each_product([&](int64_t in, int64_t w, int64_t out) {
      expected[w] += x[in] * y[out];
    });
    const Floats weights = W;
    kernels.backward_weights(args);
    EXPECT_EQ(W, expected) << "backward_weights";
    std::copy(weights.begin(), weights.end(), W.begin());

    for (const bool has_bias : {false, true}) {
      args.b = has_bias ? b.data() : nullptr;
      const int64_t places = args.out_height * args.out_width;
      expected.assign(y.size(), 0);
      for (size_t i = 0; has_bias && i < y.size(); ++i) {
        expected[i] = b[i / places % args.outputs];
      }
      for_each_product([&](int64_t in, int64_t w, int64_t out) {
        expected[out] += x[in] * W[w];
      });
      kernels.forward(args);
      EXPECT_EQ(y, expected) << "forward, has_bias " << has_bias;
    }
  }
};

TiledConvolution geometry(int64_t batch, int64_t channels, int64_t height,
                          int64_t width, int64_t outputs, int64_t k_down,
                          int64_t k_across) {
  TiledConvolution args = {};
  args.batch = batch;
  args.channels = channels;
  args.height = height;
  args.width = width;
  args.outputs = outputs;
  args.ksize[0] = k_down;
  args.ksize[1] = k_across;
  for (int i = 0; i < 2; ++i) args.stride[i] = args.dilate[i] = 1;
  return args;
}

class TiledConvolutionTest : public testing::CpuTargetTest {};

TEST_P(TiledConvolutionTest, OfLeNet) {
  Case(geometry(3, 1, 28, 28, 20, 5, 5)).check();
  Case(geometry(3, 20, 12, 12, 50, 5, 5)).check();
}

// Rows are copied in parts of every size that registers have.
TEST_P(TiledConvolutionTest, RowsOfAnyLength) {
  for (int64_t width = 1; width <= 40; ++width) {
    SCOPED_TRACE(width);
    Case(geometry(2, 2, 3, width, 3, 2, 1)).check();
  }
}

TEST_P(TiledConvolutionTest, WindowsOfAnyKind) {
  for (const int64_t stride : {1, 2, 3}) {
    for (const int64_t pad : {0, 1, 4}) {
      for (const int64_t dilate : {1, 2}) {
        SCOPED_TRACE("stride " + std::to_string(stride) + " pad " +
                     std::to_string(pad) + " dilate " + std::to_string(dilate));
        TiledConvolution args = geometry(2, 3, 9, 11, 5, 3, 4);
        for (int i = 0; i < 2; ++i) {
          args.stride[i] = stride + (i == 0 && stride > 1);
          args.pad[i] = pad;
          args.dilate[i] = dilate;
        }
        Case(args).check();
      }
    }
  }
}

// Elements of the window, or rows of outputs, that see nothing but padding.
TEST_P(TiledConvolutionTest, PaddingLargerThanTheImage) {
  TiledConvolution args = geometry(1, 2, 2, 3, 4, 3, 3);
  args.pad[0] = 5;
  args.pad[1] = 7;
  Case(args).check();
  args.stride[0] = 4;
  args.stride[1] = 5;
  Case(args).check();
}

// The columns of all rows of outputs do not fit into the cache.
TEST_P(TiledConvolutionTest, LargeImagesInParts) {
  TiledConvolution args = geometry(2, 5, 61, 67, 7, 3, 3);
  args.pad[0] = args.pad[1] = 1;
  Case(args).check();
}

TEST_P(TiledConvolutionTest, WithSeveralThreads) {
  const int threads = get_num_threads();
  for (const int count : {1, 2, 3, 8}) {
    SCOPED_TRACE(count);
    set_num_threads(count);
    Case(geometry(5, 3, 8, 9, 6, 3, 3)).check();
  }
  set_num_threads(threads);
}

INSTANTIATE_TEST_SUITE_P(All, TiledConvolutionTest, testing::every_cpu_target(),
                         testing::cpu_target_name);

}  // namespace
}  // namespace catena::array
