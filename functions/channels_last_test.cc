// Networks of images whose channels are last in memory: the results are those
// of images in C order, and on GPUs they have their channels last.

#include "catena/array/channels_last.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/image_order.h"
#include "catena/array/random/random.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/array/cast.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/functions/connection/deconvolution_nd.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/functions/pooling/unpooling.h"
#include "catena/functions/spatial.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"

namespace catena::functions {
namespace {

using ::catena::testing::IsClose;

class ChannelsLastTest : public testing::DeviceTest {
 protected:
  static Array random(const Shape& shape, Dtype dtype = Dtype::kFloat32) {
    return array::random::uniform(-1.0, 1.0, shape, dtype);
  }
  void expect_order(const Array& images) {
    if (device().is_native() || images.ndim() < 4) {
      EXPECT_TRUE(images.is_contiguous());
    } else {
      EXPECT_TRUE(array::keeps_channels_last(images));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, ChannelsLastTest, testing::every_device(),
                         testing::device_name);

struct Case {
  std::string name;
  std::function<Variable(const Variable&)> function;
};

// Functions of (4, 6, 5, 7), and with as many axes more as `shape` has.
std::vector<Case> cases(const Shape& shape, Dtype dtype) {
  const int ndim = shape.ndim() - 2;
  const auto random = [&](const Shape& of) {
    return array::random::uniform(-1.0, 1.0, of, dtype);
  };
  const auto filters = [&](int64_t out, int64_t in, int64_t size) {
    Shape of = {out, in};
    for (int d = 0; d < ndim; ++d) of.push_back(size);
    return random(of);
  };
  const Variable W(filters(8, 6, 3));
  const Variable grouped(filters(4, 3, 2));
  const Variable pointwise(filters(5, 6, 1));
  const Variable transposed(filters(6, 3, 2));
  const Variable b(random({8}));
  const Variable gamma(random({6}));
  const Variable beta(random({6}));
  const Array mean = random({6});
  const Array var = array::ones({6}, dtype);
  const Array other = random(shape);
  return {
      {"convolution",
       [=](const Variable& x) { return convolution_nd(x, W, b, {.pad = 1}); }},
      {"grouped",
       [=](const Variable& x) {
         return convolution_nd(x, grouped, {}, {.stride = 2, .groups = 2});
       }},
      {"pointwise",
       [=](const Variable& x) { return convolution_nd(x, pointwise); }},
      {"deconvolution",
       [=](const Variable& x) {
         return deconvolution_nd(x, transposed, {}, {.stride = 2});
       }},
      {"batch_normalization",
       [=](const Variable& x) { return batch_normalization(x, gamma, beta); }},
      {"fixed_batch_normalization",
       [=](const Variable& x) {
         return fixed_batch_normalization(x, gamma, beta, mean, var);
       }},
      {"max_pooling",
       [=](const Variable& x) {
         return max_pooling_nd(x, 3, {.stride = 2, .pad = 1});
       }},
      {"max_pooling of pairs",
       [=](const Variable& x) { return max_pooling_nd(x, 2); }},
      {"average_pooling",
       [=](const Variable& x) { return average_pooling_nd(x, 2); }},
      {"unpooling", [=](const Variable& x) { return unpooling_nd(x, 2); }},
      {"relu", [=](const Variable& x) { return relu(x); }},
      {"a sum of gradients",
       [=](const Variable& x) {
         const Variable h = relu(x);
         return h + h * 2.0;
       }},
      {"addition", [=](const Variable& x) { return x + other; }},
      {"cast",
       [=](const Variable& x) { return cast(x, Dtype::kFloat64) * 2.0; }},
      {"concat",
       [=](const Variable& x) {
         return concat({x, x * x}, 1);
       }},
  };
}

TEST_P(ChannelsLastTest, ResultsAndGradientsAreThoseOfCOrder) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16}) {
    for (const Shape& shape :
         {Shape{4, 6, 5, 7}, Shape{2, 6, 9}, Shape{2, 6, 3, 4, 5}}) {
      const Array values = random(shape, dtype);
      for (const Case& c : cases(shape, dtype)) {
        SCOPED_TRACE(str(c.name, " ", dtype, " ", shape));
        const bool is_wide = dtype == Dtype::kFloat32;
        const auto close = [&](const Array& expected) {
          return is_wide ? IsClose(expected, {.rtol = 1e-4, .atol = 1e-4})
                         : IsClose(expected, {.rtol = 2e-2, .atol = 5e-2});
        };
        const Variable x(values);
        const Variable reordered(array::in_channels_last(values));
        const Variable y = c.function(x);
        const Variable z = c.function(reordered);
        EXPECT_THAT(z.data(), close(y.data()));
        expect_order(z.data());
        const Array gy = random(y.shape(), y.dtype());
        y.set_grad(gy);
        z.set_grad(array::in_channels_last(gy));
        y.backward();
        z.backward();
        EXPECT_THAT(reordered.grad(), close(x.grad()));
        expect_order(reordered.grad());
      }
    }
  }
}

TEST_P(ChannelsLastTest, DropoutDropsTheSameFromGradients) {
  const Variable x(array::in_channels_last(
      array::ones({2, 3, 4, 5}, Dtype::kFloat32, device())));
  Array mask;
  const Variable y = dropout(x);
  expect_order(y.data());
  y.set_grad(array::ones_like(y.data()));
  y.backward();
  EXPECT_THAT(x.grad(), testing::IsArray(y.data()));
}

// By packs of channels or one by one, with the same bits.
TEST_P(ChannelsLastTest, PoolingHasTheBitsOfCOrder) {
  struct Window {
    Spatial ksize;
    MaxPoolingOptions options;
  };
  const Window windows[] = {
      {3, {.stride = 2, .pad = 1}},
      {3, {.stride = 2, .cover_all = true}},
      {2, {}},
      {Spatial{3, 2}, {.stride = Spatial{2, 1}, .pad = Spatial{0, 1}}},
      {1, {.stride = 3, .cover_all = false}},
      {Spatial{1, 5}, {.stride = 1, .pad = Spatial{0, 2}}},
      {Spatial{6, 7}, {}}};
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32, Dtype::kFloat64}) {
    for (const Shape& shape : {Shape{2, 16, 6, 7}, Shape{3, 5, 6, 7}}) {
      Array values = random(shape, dtype);
      values[{0, 1, 2, 3}].fill(NAN);
      for (const Window& window : windows) {
        const Spatial& ksize = window.ksize;
        const MaxPoolingOptions& options = window.options;
        const auto average = [&](const Variable& x) {
          return average_pooling_nd(
              x, ksize, {.stride = options.stride, .pad = options.pad});
        };
        const auto maximum = [&](const Variable& x) {
          return max_pooling_nd(x, ksize, options);
        };
        const auto expect_same = [&](const auto& function) {
          const Variable x(values);
          const Variable reordered(array::in_channels_last(values));
          const Variable y = function(x);
          const Variable z = function(reordered);
          EXPECT_THAT(z.data(), testing::IsArray(y.data()));
          const Array gy = random(y.shape(), dtype);
          y.set_grad(gy);
          z.set_grad(array::in_channels_last(gy));
          y.backward();
          z.backward();
          EXPECT_THAT(reordered.grad(), testing::IsArray(x.grad()));
          expect_order(reordered.grad());
        };
        SCOPED_TRACE(str(dtype, " ", shape, " ksize ", ksize.sizes()));
        expect_same(average);
        expect_same(maximum);
      }
    }
  }
}

// The gradient of single pixels, which are in any order, is in that of x.
TEST_P(ChannelsLastTest, GradientsOfGlobalAveragesKeepTheOrder) {
  const Variable x(array::in_channels_last(random({2, 8, 5, 3})));
  const Variable y = average_pooling_nd(x, {5, 3});
  y.set_grad(random(y.shape()));
  y.backward();
  expect_order(x.grad());
}

TEST_P(ChannelsLastTest, IndexesOfMaximaAreInCOrder) {
  const Array values = random({2, 3, 6, 5});
  Array expected;
  Array indices;
  max_pooling_nd(values, 2, {.return_indices = &expected});
  max_pooling_nd(array::in_channels_last(values), 2,
                 {.return_indices = &indices});
  EXPECT_TRUE(indices.is_contiguous());
  EXPECT_THAT(indices, testing::IsArray(expected));
}

// So many elements that several blocks share a channel, the last with fewer,
// and values that are far from zero. The mean of gradients is 0: a sum far from
// it would multiply the rounding error of cuDNN's mean.
TEST_P(ChannelsLastTest, StatisticsOfManyPixels) {
  const Array values = random({3, 35, 41, 43}) + 100.0;
  const Array gy = random(values.shape());
  const Array weights = random({35});
  const Array biases = random({35});
  const auto run = [&](const Array& images, Dtype dtype) {
    const Variable x(images);
    const Variable gamma(weights.astype(dtype));
    const Variable beta(biases.astype(dtype));
    const Variable y = batch_normalization(x, gamma, beta);
    y.set_grad(gy.astype(dtype));
    y.backward();
    return std::vector<Array>{y.data(), x.grad(), gamma.grad(), beta.grad()};
  };
  const std::vector<Array> expected =
      run(values.astype(Dtype::kFloat64), Dtype::kFloat64);
  for (const Array& images : {values, array::in_channels_last(values)}) {
    const std::vector<Array> results = run(images, Dtype::kFloat32);
    for (size_t i = 0; i < results.size(); ++i) {
      SCOPED_TRACE(i);
      EXPECT_THAT(results[i], IsClose(expected[i].astype(Dtype::kFloat32),
                                      {.rtol = 1e-4, .atol = 2e-3}));
    }
  }
}

}  // namespace
}  // namespace catena::functions
