// cuDNN checks the tensors and operations of a graph without a GPU; whether it
// has plans for them, only a GPU can tell (//functions:cudnn_and_own_test).

#include "catena/functions/connection/internal/convolution_graph.h"

#include <gtest/gtest.h>

#include "catena/array/creation.h"
#include "catena/tests/testing/device_test.h"

namespace catena::functions {
namespace {

using cudnn::ImageOrder;

// A convolution of one, two or three spatial axes.
struct Arrays {
  Arrays(int ndim, Dtype dtype)
      : x(empty(2, 8, ndim, 9, dtype)),
        W(empty(16, 4, ndim, 3, dtype)),
        y(empty(2, 16, ndim, 5, dtype)),
        b(array::empty({16}, dtype)),
        residual(array::empty_like(y)),
        geometry{.window = {.ksize = Shape::filled(ndim, 3),
                            .stride = Shape::filled(ndim, 2),
                            .pad = Shape::filled(ndim, 1),
                            .dilate = Shape::filled(ndim, 1)},
                 .groups = 2} {}

  static Array empty(int64_t n, int64_t channels, int ndim, int64_t size,
                     Dtype dtype) {
    Shape shape = {n, channels};
    for (int d = 0; d < ndim; ++d) shape.push_back(size);
    return array::empty(shape, dtype);
  }
  ConvolutionArgs args(const Array& bias) const {
    return {"convolution_nd", geometry, x, W, y, bias};
  }

  Array x, W, y, b, residual;
  ConvolutionGeometry geometry;
};

TEST(ConvolutionGraphTest, CudnnKnowsEachPass) {
  const Array none;
  for (const Dtype dtype : testing::float_dtypes()) {
    for (const int ndim : {1, 2, 3}) {
      const Arrays arrays(ndim, dtype);
      for (const auto order : {ImageOrder::kC, ImageOrder::kChannelsLast}) {
        for (const auto pass :
             {ConvolutionPass::kForward, ConvolutionPass::kBackwardData,
              ConvolutionPass::kBackwardWeights}) {
          const ConvolutionGraph graph(pass, arrays.args(none),
                                       {.residual = none, .relu = false},
                                       order);
          EXPECT_EQ(graph.operations().size(), 1U);
          EXPECT_EQ(graph.ids().size(), 3U);
          ASSERT_EQ(graph.data().size(), 3U);
          EXPECT_EQ(graph.data()[0], arrays.x.raw_data());
          EXPECT_EQ(graph.data()[1], arrays.W.raw_data());
          EXPECT_EQ(graph.data()[2], arrays.y.raw_data());
        }
      }
    }
  }
}

TEST(ConvolutionGraphTest, AForwardPassTakesInWhatFollows) {
  const Arrays arrays(2, Dtype::kFloat16);
  const Array none;
  const ConvolutionGraph whole(ConvolutionPass::kForward, arrays.args(arrays.b),
                               {.residual = arrays.residual, .relu = true},
                               ImageOrder::kChannelsLast);
  EXPECT_EQ(whole.operations().size(), 4U);
  ASSERT_EQ(whole.data().size(), 5U);
  EXPECT_EQ(whole.data()[2], arrays.residual.raw_data());
  EXPECT_EQ(whole.data()[3], arrays.b.raw_data());
  EXPECT_EQ(whole.data()[4], arrays.y.raw_data());

  const ConvolutionGraph with_bias(
      ConvolutionPass::kForward, arrays.args(arrays.b),
      {.residual = none, .relu = false}, ImageOrder::kC);
  EXPECT_EQ(with_bias.operations().size(), 2U);
  const ConvolutionGraph of_gradient(
      ConvolutionPass::kBackwardData, arrays.args(arrays.b),
      {.residual = arrays.residual, .relu = true}, ImageOrder::kC);
  EXPECT_EQ(of_gradient.operations().size(), 1U);
}

}  // namespace
}  // namespace catena::functions
