// What nodes say of themselves: functions with options state them under the
// names of their options structs. That every node says what it is, is checked
// by the golden tests of all folders and by tools/check_descriptions.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_description.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/functions.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using testing::uniform;

class DescriptionsTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Descriptions, DescriptionsTest,
                         testing::every_device(), testing::device_name);

Variable random(const Shape& shape) { return Variable(uniform(shape)); }

FunctionDescription described(const Variable& y) {
  return y.creator_node()->description();
}

struct Row {
  FunctionKind kind;
  Variable y;
  std::string options;
};

template <class Kind>
Row row(const Variable& y, std::string options) {
  return {FunctionKind::of<Kind>(), y, std::move(options)};
}

void expect_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.y.creator_node()->label()));
    EXPECT_EQ(described(row.y).kind(), row.kind);
    EXPECT_EQ(described(row.y).to_string(), row.options);
  }
}

TEST_P(DescriptionsTest, OfActivationsAndMath) {
  const Variable x = random({2, 4, 3});
  expect_rows({
      row<kinds::Relu>(relu(x), ""),
      row<kinds::LeakyRelu>(leaky_relu(x, {.slope = 0.25}), "slope=0.25"),
      row<kinds::CRelu>(crelu(x, -1), "axis=2"),
      row<kinds::Softmax>(softmax(x, -2), "axis=1"),
      row<kinds::LogSoftmax>(log_softmax(x, 2), "axis=2"),
      row<kinds::Add>(x + x, ""),
      row<kinds::Average>(average(x, {.axis = {0, 2}, .keepdims = true}),
                          "axis=(0, 2), keepdims=true"),
      row<kinds::Cumprod>(cumprod(x, 1), "axis=1"),
      row<kinds::Cumsum>(cumsum(x, 2), "axis=2"),
      row<kinds::Einsum>(einsum("ijk->kj", {x}), "subscripts=ijk->kj"),
      row<kinds::LogSumExp>(logsumexp(x, 1), "axis=(1,)"),
      row<kinds::Matmul>(matmul(x, x, {.transb = true}),
                         "transa=false, transb=true, alpha=1"),
      row<kinds::Max>(max(x, {.axis = 1}), "axis=(1,), keepdims=false"),
      row<kinds::Min>(min(x), "axis=none, keepdims=false"),
      row<kinds::Prod>(prod(x, {.axis = 2}), "axis=(2,), keepdims=false"),
      row<kinds::Sum>(sum(x, {.axis = -1}), "axis=(-1,), keepdims=false"),
      row<kinds::SumTo>(sum_to(x, {4, 1}), "shape=(4, 1)"),
  });
  EXPECT_EQ(described(clip(x, -1, 0.5)).to_string(), "x_min=-1, x_max=0.5");
  EXPECT_EQ(described(elu(x, {.alpha = 2})).to_string(), "alpha=2, scale=1");
  EXPECT_EQ(described(softplus(x, {.beta = 2})).to_string(), "beta=2");
  EXPECT_EQ(described(clipped_relu(x, {.z = 5})).to_string(), "z=5");
  EXPECT_EQ(described(x * 3).to_string(), "number=3");
}

TEST_P(DescriptionsTest, OfWhatMovesElements) {
  const Variable x = random({2, 4, 3});
  const Variable image = random({1, 4, 4, 4});
  expect_rows({
      row<kinds::BroadcastTo>(broadcast_to(x, {5, 2, 4, 3}),
                              "shape=(5, 2, 4, 3)"),
      row<kinds::Cast>(cast(x, Dtype::kFloat16), "typ=float16"),
      row<kinds::Concat>(concat({x, x}, {.axis = -1}), "axis=-1"),
      row<kinds::Concat>(hstack({x, x}), "axis=1"),
      row<kinds::Stack>(stack({x, x}, {.axis = 2}), "axis=2"),
      row<kinds::SplitAxis>(split_axis(x, 2, 1)[0], "axis=1, extents=[2, 2]"),
      row<kinds::Separate>(separate(x, -1)[0], "axis=2"),
      row<kinds::Depth2Space>(depth2space(image, 2), "r=2"),
      row<kinds::Diagonal>(diagonal(x, {.offset = 1}),
                           "offset=1, axis1=0, axis2=1"),
      row<kinds::ExpandDims>(expand_dims(x, 1), "axis=1"),
      row<kinds::Flip>(flip(x, 1), "axis=1"),
      row<kinds::Flip>(fliplr(x), "axis=1"),
      row<kinds::GetItem>(x[{0, Slice(1, 3), ellipsis}], "slices=0, 1:3, ..."),
      row<kinds::Im2col>(im2col(image, 3, {.pad = 1}),
                         "ksize=(3, 3), stride=(1, 1), pad=(1, 1), "
                         "cover_all=false, dilate=(1, 1)"),
      row<kinds::Moveaxis>(moveaxis(x, 0, 2), "source=(0,), destination=(2,)"),
      row<kinds::Repeat>(repeat(x, 2, {.axis = 1}), "repeats=[2], axis=1"),
      row<kinds::Reshape>(reshape(x, {-1, 3}), "shape=(-1, 3)"),
      row<kinds::Rollaxis>(rollaxis(x, 2), "axis=2, start=0"),
      row<kinds::Space2Depth>(space2depth(image, 2), "r=2"),
      row<kinds::Squeeze>(squeeze(random({1, 2})), "axis=none"),
      row<kinds::Swapaxes>(swapaxes(x, 0, 2), "axis1=0, axis2=2"),
      row<kinds::Tile>(tile(x, {2, 1, 1}), "reps=(2, 1, 1)"),
      row<kinds::Transpose>(transpose(x, {2, 0, 1}), "axes=(2, 0, 1)"),
  });
  const Array is_chosen = array::greater(x.data(), 0);
  EXPECT_EQ(described(where(is_chosen, x, 0.5)).to_string(),
            "condition=bool (2, 4, 3), y=0.5");
}

TEST_P(DescriptionsTest, OfWindows) {
  const Variable x = random({1, 4, 6, 6});
  const Variable W = random({4, 2, 3, 3});
  expect_rows({
      row<kinds::Convolution>(
          convolution_2d(x, W, {}, {.stride = 2, .pad = {1, 0}, .groups = 2}),
          "stride=(2, 2), pad=(1, 0), dilate=(1, 1), groups=2"),
      row<kinds::Deconvolution>(
          deconvolution_2d(x, W),
          "stride=(1, 1), pad=(0, 0), dilate=(1, 1), groups=1, "
          "outsize=(8, 8)"),
      row<kinds::Linear>(linear(random({2, 3}), random({4, 3})), ""),
      row<kinds::MaxPooling>(
          max_pooling_2d(x, 3, {.stride = 2, .cover_all = true}),
          "ksize=(3, 3), stride=(2, 2), pad=(0, 0), cover_all=true"),
      row<kinds::AveragePooling>(
          average_pooling_2d(x, 2, {.pad = 1}),
          "ksize=(2, 2), stride=(2, 2), pad=(1, 1), factor=0.25"),
      row<kinds::TransposeOf<kinds::WindowSums>>(
          unpooling_2d(x, 2, {.cover_all = false}),
          "ksize=(2, 2), stride=(2, 2), pad=(0, 0), factor=1"),
      row<kinds::ResizeImages>(
          resize_images(x, {3, 4}),
          "output_shape=(3, 4), mode=bilinear, align_corners=true"),
      row<kinds::LocalResponseNormalization>(
          local_response_normalization(x, {.n = 3}),
          "n=3, k=2, alpha=1e-04, beta=0.75"),
  });
}

TEST_P(DescriptionsTest, OfLossesAndNormalizations) {
  const Variable x = random({4, 3});
  const Variable one = random({3});
  const Array t = array::zeros({4}, Dtype::kInt32);
  expect_rows({
      row<kinds::Hinge>(hinge(x, t, {.norm = "L2"}), "norm=L2, reduce=mean"),
      row<kinds::SoftmaxCrossEntropy>(
          softmax_cross_entropy(x, t, {.normalize = false, .ignore_label = 2}),
          "normalize=false, class_weight=none, ignore_label=2, reduce=mean, "
          "label_smoothing=0"),
      row<kinds::BatchNormalization>(batch_normalization(x, one, one),
                                     "eps=2e-05, axis=(0,), relu=false"),
      row<kinds::FixedBatchNormalization>(
          fixed_batch_normalization(x, one, one, one,
                                    Variable(array::ones({3}))),
          "eps=2e-05, axis=(0,)"),
      row<kinds::LayerNormalization>(layer_normalization(x, one, one),
                                     "eps=1e-05"),
      row<kinds::GroupNormalization>(
          group_normalization(random({2, 4, 3}), 2, random({4}), random({4})),
          "groups=2, eps=1e-05"),
      row<kinds::Normalize>(normalize(x), "eps=1e-05, axis=1"),
  });
}

TEST_P(DescriptionsTest, WhatDrawsDoesNotRepeat) {
  const auto train = using_config(&Config::train, true);
  const auto repeats = [](const Variable& y) {
    return y.creator_node()->repeats();
  };
  const Variable x = random({4, 3});
  EXPECT_TRUE(repeats(relu(x)));
  EXPECT_FALSE(repeats(dropout(x)));
  Array mask;
  EXPECT_FALSE(repeats(dropout(x, {.return_mask = &mask})));
  EXPECT_TRUE(repeats(dropout(x, {.mask = mask})));
  EXPECT_FALSE(repeats(gaussian(x, x)));
  EXPECT_TRUE(repeats(gaussian(x, x, {.eps = mask})));
  const Variable one = random({3});
  EXPECT_FALSE(repeats(batch_normalization(x, one, one)));
}

}  // namespace
}  // namespace catena::functions
