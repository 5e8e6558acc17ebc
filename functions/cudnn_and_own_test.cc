// What no emulated GPU shows: whether cuDNN computes what catena's own kernels
// do. Everything for which a slot calls cuDNN, with and without it, in each
// floating dtype. Runs on real GPUs alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "catena/array/channels_last.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
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
using testing::check_setting_changes_nothing;

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
  EXPECT_TRUE(n_step_network_layout_cudnn.is_filled());
  EXPECT_TRUE(n_step_network_cudnn.is_filled());
  EXPECT_TRUE(n_step_network_gradients_cudnn.is_filled());
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

// All layers in one call of cuDNN, also beside its calls for single layers.
TEST_P(CudnnAndOwnTest, SequencesInOneCall) {
  for (const NStepFunction& kind :
       {kLstm, kBiLstm, kGru, kBiGru, kTanh, kBiTanh, kRelu}) {
    for (const int64_t n_layers : {1, 3}) {
      const auto function = [&](const Variables& in) {
        return call_n_step(kind, n_layers, 0, in);
      };
      const auto check = [&](const std::vector<int64_t>& batch_sizes,
                             int64_t batch) {
        const auto inputs = n_step_inputs(kind, n_layers, batch_sizes,
                                          /*in_size=*/4, /*units=*/5, batch);
        {
          const auto scope = using_config(&Config::use_cudnn_rnn_stack, true);
          check_cudnn_changes_nothing(function, inputs);
        }
        check_setting_changes_nothing(&Config::use_cudnn_rnn_stack, function,
                                      inputs);
      };
      check({3, 2, 2, 1}, 3);
      check({2, 2, 0}, 4);
      check({1}, 1);
    }
  }
}

// Where cuDNN wants the weights: inside of the buffer, and apart.
TEST_P(CudnnAndOwnTest, PackedWeightsOfSequences) {
  const int64_t units = 6;
  const int64_t in_size = 4;
  for (const bool is_bidirectional : {false, true}) {
    const NStepNetwork network{.kind = NStepKind::kGru,
                               .batch_sizes = {3, 2},
                               .n_layers = 3,
                               .is_bidirectional = is_bidirectional};
    const int64_t layers = 3 * network.directions();
    NStepInputs in{.x = random({5, in_size}).astype(Dtype::kFloat32),
                   .hx = random({layers, 3, units}).astype(Dtype::kFloat32),
                   .ws = {},
                   .bs = {},
                   .cx = {}};
    for (int64_t k = 0; k < layers; ++k) {
      const int64_t below =
          k < network.directions() ? in_size : units * network.directions();
      for (int j = 0; j < 6; ++j) {
        in.ws.push_back(
            array::zeros({units, j < 3 ? below : units}, Dtype::kFloat32));
        in.bs.push_back(array::zeros({units}, Dtype::kFloat32));
      }
    }
    const auto layout = n_step_network_layout_cudnn(device(), network, in);
    ASSERT_TRUE(layout);
    std::vector<std::pair<int64_t, int64_t>> parts;
    const auto add = [&](const std::vector<int64_t>& places,
                         const std::vector<Array>& arrays) {
      ASSERT_EQ(places.size(), arrays.size());
      for (size_t i = 0; i < arrays.size(); ++i) {
        parts.emplace_back(places[i], places[i] + arrays[i].nbytes());
      }
    };
    add(layout->ws, in.ws);
    add(layout->bs, in.bs);
    std::ranges::sort(parts);
    int64_t end = 0;
    for (const auto& [begin, next] : parts) {
      EXPECT_GE(begin, end);
      end = next;
    }
    EXPECT_LE(end, layout->bytes);
  }
}

// A layer whose outputs are 1, below one that passes on what it gets: what
// comes out are the factors of dropout between them.
TEST_P(CudnnAndOwnTest, DropoutOfSequencesInOneCall) {
  const auto scope = using_config(&Config::use_cudnn_rnn_stack, true);
  constexpr int64_t kUnits = 64;
  constexpr int64_t kRows = 32;
  constexpr int64_t kSteps = 10;
  constexpr double kRatio = 0.25;
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16}) {
    const auto zeros = [&](const Shape& shape) {
      return Variable(array::zeros(shape, dtype));
    };
    Variables in{zeros({2, kRows, kUnits})};
    const Shape square{kUnits, kUnits};
    in.push_back(zeros(square));
    in.push_back(zeros(square));
    in.push_back(Variable(array::identity(kUnits, dtype)));
    in.push_back(zeros(square));
    in.push_back(Variable(array::ones({kUnits}, dtype)));
    for (int i = 0; i < 3; ++i) in.push_back(zeros({kUnits}));
    const size_t first_bias = 5;
    in.push_back(zeros({kSteps, kRows, kUnits}));
    const auto factors = [&](double ratio) {
      return call_n_step(kRelu, 2, ratio, in, NStepInput::kArray).back();
    };
    EXPECT_THAT(factors(0).data(),
                testing::IsArray(array::ones({kSteps, kRows, kUnits}, dtype)));
    {
      const auto test = using_config(&Config::train, false);
      EXPECT_THAT(factors(kRatio).data(), testing::IsArray(factors(0).data()));
    }
    array::random::seed(1);
    const Variable first = factors(kRatio);
    const Variable second = factors(kRatio);
    array::random::seed(1);
    const Variable again = factors(kRatio);
    EXPECT_THAT(again.data(), testing::IsArray(first.data()));
    EXPECT_THAT(second.data(), ::testing::Not(testing::IsArray(first.data())));
    const std::vector<double> values = first.data().to_vector<double>();
    int64_t kept = 0;
    for (const double value : values) {
      if (value == 0) continue;
      EXPECT_NEAR(value, 1 / (1 - kRatio), 2e-3);
      ++kept;
    }
    // Six standard deviations.
    const auto count = static_cast<double>(values.size());
    EXPECT_NEAR(static_cast<double>(kept) / count, 1 - kRatio,
                6 * std::sqrt(kRatio * (1 - kRatio) / count));
    // Twice, since cuDNN overwrites what it has kept.
    for (int pass = 0; pass < 2; ++pass) {
      const std::vector<Variable> gradients =
          grad({first}, {in[first_bias]},
               {.grad_outputs = {Variable(array::ones(first.shape(), dtype))}});
      EXPECT_THAT(
          gradients[0].data().astype(Dtype::kFloat64),
          testing::IsClose(
              first.data().astype(Dtype::kFloat64).sum({.axis = AxisSet{0, 1}}),
              {.rtol = 1e-2}))
          << pass;
    }
  }
}

}  // namespace
}  // namespace catena::functions
