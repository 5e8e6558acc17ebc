// What no emulated GPU shows: whether cuDNN computes what catena's own kernels
// do. Everything for which a slot calls cuDNN, with and without it, in each
// floating dtype. Runs on real GPUs alone.

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "catena/array/channels_last.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/cuda/cudnn_handle.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/functions/connection/deconvolution_nd.h"
#include "catena/functions/connection/internal/convolution_cudnn.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/functions/plan/execution_plan.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/internal/window_cudnn.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/functions/rnn/internal/n_step_cudnn.h"
#include "catena/functions/rnn/testing/n_step_call.h"
#include "catena/tests/support/cudnn_comparison.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using testing::check_cudnn_changes_nothing;
using testing::check_cudnn_keeps_nan;

class CudnnAndOwnTest : public testing::DeviceTest {
 protected:
  void SetUp() override {
    if (device().is_native()) {
      GTEST_SKIP() << "compares cuDNN with own kernels on a GPU";
    }
    testing::DeviceTest::SetUp();
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, CudnnAndOwnTest, testing::every_device(),
                         testing::device_name);

Array random(const Shape& shape, uint64_t seed = 0) {
  return testing::uniform(shape, -1, 1, Dtype::kFloat64, seed);
}

// Random numbers, NaN and both infinities.
Array special(const Shape& shape) {
  const Array x = random({size_of(shape)});
  x[0] = std::numeric_limits<double>::quiet_NaN();
  x[x.size() / 2] = std::numeric_limits<double>::infinity();
  x[x.size() - 1] = -std::numeric_limits<double>::infinity();
  return x.reshape(shape);
}

TEST_P(CudnnAndOwnTest, SlotsAreFilled) {
  RecordProperty("cudnn_version", cuda::cudnn_version());
  EXPECT_TRUE(convolution_cudnn.is_filled());
  EXPECT_TRUE(fused_convolution_cudnn.is_filled());
  EXPECT_TRUE(window_cudnn.is_filled());
  EXPECT_TRUE(n_step_cudnn.is_filled());
  EXPECT_TRUE(n_step_gradients_cudnn.is_filled());
}

struct Geometry {
  Shape x, W;
  ConvolutionOptions options;
};

// Strides, padding, dilation, groups; pointwise; each channel by itself; one
// element; no images; one and three spatial axes.
std::vector<Geometry> geometries() {
  return {
      {{2, 8, 9, 8}, {16, 8, 3, 3}, {.pad = 1}},
      {{2, 8, 9, 8},
       {16, 4, 3, 2},
       {.stride = 2, .pad = 1, .dilate = 2, .groups = 2}},
      {{3, 64, 7, 7}, {32, 64, 1, 1}, {}},
      {{2, 6, 8, 8}, {6, 1, 3, 3}, {.pad = 1, .groups = 6}},
      {{2, 3, 11, 13}, {5, 3, 7, 7}, {.stride = 2, .pad = 3}},
      {{1, 1, 1, 1}, {1, 1, 1, 1}, {}},
      {{0, 4, 5, 5}, {8, 4, 3, 3}, {}},
      {{2, 3, 9}, {4, 3, 3}, {.stride = 2}},
      {{2, 3, 5, 6, 7}, {4, 3, 3, 2, 3}, {.pad = 1}},
  };
}

// Convolutions by both of cuDNN's interfaces.
class ConvolutionCudnnAndOwnTest : public CudnnAndOwnTest {
 protected:
  template <class Check>
  static void for_each_interface(const Check& check) {
    for (const bool graph : {false, true}) {
      SCOPED_TRACE(graph ? "the graph API" : "single functions");
      const auto scope = using_config(&Config::use_cudnn_graph, graph);
      check();
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, ConvolutionCudnnAndOwnTest,
                         testing::every_device(), testing::device_name);

TEST_P(ConvolutionCudnnAndOwnTest, Convolutions) {
  for_each_interface([] {
    for (const Geometry& g : geometries()) {
      SCOPED_TRACE(to_string(g.x));
      check_cudnn_changes_nothing(
          [&](const Variable& x, const Variable& W, const Variable& b) {
            return convolution_nd(x, W, b, g.options);
          },
          {random(g.x), random(g.W, 1), random({g.W[0]}, 2)});
    }
  });
}

TEST_P(ConvolutionCudnnAndOwnTest, Deconvolutions) {
  for_each_interface([] {
    check_cudnn_changes_nothing(
        [](const Variable& x, const Variable& W, const Variable& b) {
          return deconvolution_nd(x, W, b, {.stride = 2, .pad = 1});
        },
        {random({2, 8, 5, 6}), random({8, 4, 4, 4}, 1), random({4}, 2)});
  });
}

TEST_P(ConvolutionCudnnAndOwnTest, ImagesWithChannelsLast) {
  for_each_interface([] {
    for (const Geometry& g : geometries()) {
      if (g.x.ndim() != 4 || g.x[0] == 0) continue;
      SCOPED_TRACE(to_string(g.x));
      check_cudnn_changes_nothing(
          [&](const Variable& x, const Variable& W, const Variable& b) {
            return convolution_nd(x, W, b, g.options);
          },
          {array::in_channels_last(random(g.x)), random(g.W, 1),
           random({g.W[0]}, 2)});
    }
  });
}

TEST_P(ConvolutionCudnnAndOwnTest, NanStaysNan) {
  for_each_interface([] {
    for (const Shape& shape : {Shape{2, 8, 9, 8}, Shape{2, 3, 9}}) {
      Shape filter = shape;
      filter[0] = 16;
      for (int d = 2; d < filter.size(); ++d) filter[d] = 3;
      const auto function = [](const Variable& x, const Variable& W) {
        return convolution_nd(x, W, {}, {.pad = 1});
      };
      check_cudnn_keeps_nan(function, {special(shape), random(filter, 1)});
      check_cudnn_keeps_nan(function, {random(shape), special(filter)});
    }
  });
}

// Bias, normalization, residual and relu in one call.
TEST_P(ConvolutionCudnnAndOwnTest, PlansWithWhatFollows) {
  const auto test = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  for_each_interface([] {
    for (const Dtype dtype :
         {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBFloat16}) {
      const auto make = [&](const Shape& shape, uint64_t seed) {
        return Variable(testing::uniform(shape, -1, 1, dtype, seed));
      };
      const Variable W = make({8, 8, 3, 3}, 1);
      const Variable b = make({8}, 2);
      const Variable gamma = make({8}, 3);
      const Variable beta = make({8}, 4);
      const Array mean = make({8}, 5).data();
      const Array var = array::ones({8}, dtype);
      const auto layers = [&](const Variable& x) {
        const Variable h = relu(fixed_batch_normalization(
            convolution_2d(x, W, b, {.pad = 1}), gamma, beta, mean, var));
        return relu(convolution_2d(h, W, b, {.pad = 1}) + x);
      };
      for (const bool has_nan : {false, true}) {
        const Shape shape = {2, 8, 7, 6};
        const Array x =
            (has_nan ? special(shape) : random(shape)).astype(dtype);
        const auto result = [&](Usage usage) {
          const auto scope = using_config(&Config::use_cudnn, usage);
          ExecutionPlan plan(layers);
          plan(random(shape, 6).astype(dtype));
          return plan(x).data();
        };
        const Array with = result(Usage::kAlways);
        const Array without = result(Usage::kNever);
        if (has_nan) {
          EXPECT_THAT(
              array::logical_and(array::isnan(without),
                                 array::logical_not(array::isnan(with))),
              testing::IsArray(array::zeros(shape, Dtype::kBool)))
              << dtype;
          continue;
        }
        const double error = dtype == Dtype::kFloat32   ? 1e-4
                             : dtype == Dtype::kFloat16 ? 2e-2
                                                        : 1e-1;
        EXPECT_THAT(with, testing::IsClose(without,
                                           {.rtol = error, .atol = 10 * error}))
            << dtype;
      }
    }
  });
}

std::vector<Array> images() {
  return {random({2, 3, 7, 6}),
          special({2, 3, 7, 6}),
          array::full({2, 3, 7, 6}, 0.5, Dtype::kFloat64),
          array::in_channels_last(random({2, 8, 7, 6})),
          random({1, 1, 2, 2}),
          random({0, 3, 7, 6})};
}

TEST_P(CudnnAndOwnTest, Pooling) {
  for (const Array& x : images()) {
    SCOPED_TRACE(to_string(x.shape()));
    for (const bool cover_all : {false, true}) {
      check_cudnn_changes_nothing(
          [&](const Variable& x) {
            return max_pooling_2d(
                x, 2, {.stride = 2, .pad = 1, .cover_all = cover_all});
          },
          {x});
    }
    check_cudnn_changes_nothing(
        [](const Variable& x) {
          return average_pooling_2d(x, 2, {.stride = 1, .pad = 1});
        },
        {x});
  }
}

TEST_P(CudnnAndOwnTest, BatchNormalization) {
  for (const Array& x : images()) {
    if (x.size() == 0) continue;
    SCOPED_TRACE(to_string(x.shape()));
    const int64_t channels = x.shape()[1];
    check_cudnn_changes_nothing(
        [](const Variable& x, const Variable& gamma, const Variable& beta) {
          const BatchNormalizationOptions options{
              .eps = 0.1,
              .running_mean = array::ones(gamma.shape(), x.dtype()),
              .running_var = array::ones(gamma.shape(), x.dtype())};
          const Variable y = batch_normalization(x, gamma, beta, options);
          return std::vector<Variable>{y, Variable(options.running_mean),
                                       Variable(options.running_var)};
        },
        {x, random({channels}, 1), random({channels}, 2)});
  }
}

TEST_P(CudnnAndOwnTest, Sequences) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const NStepFunction& kind :
       {kLstm, kBiLstm, kGru, kBiGru, kTanh, kBiTanh, kRelu}) {
    for (const int64_t n_layers : {1, 2}) {
      const auto function = [&](const Variables& in) {
        return call_n_step(kind, n_layers, 0, in);
      };
      const auto inputs = [&](const std::vector<int64_t>& batch_sizes) {
        return n_step_inputs(kind, n_layers, batch_sizes, /*in_size=*/4,
                             /*units=*/5, /*batch=*/batch_sizes[0]);
      };
      check_cudnn_changes_nothing(function, inputs({3, 2, 2, 1}));
      check_cudnn_changes_nothing(function, inputs({2, 2, 0}));
      check_cudnn_changes_nothing(function, inputs({1}));
      std::vector<Array> with_nan = inputs({3, 2, 2, 1});
      with_nan.back()[{0, 1}] = kNan;
      check_cudnn_keeps_nan(function, with_nan);
    }
  }
}

}  // namespace
}  // namespace catena::functions
