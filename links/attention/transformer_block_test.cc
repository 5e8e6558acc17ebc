#include "catena/links/attention/transformer_block.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/comparison.h"
#include "catena/autograd/config.h"
#include "catena/functions/math/operators.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class TransformerBlockTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, TransformerBlockTest,
                         ::catena::testing::every_device());

Variable block_input(const Shape& shape) {
  return Variable(testing::uniform(shape, -1, 1, Dtype::kFloat32));
}

template <class Block>
void expect_gradients(Block& block) {
  const Variable x = block_input({2, 3, 8});
  const Variable y = block(x);
  EXPECT_EQ(y.shape(), x.shape());
  y.set_grad(array::ones(y.shape(), Dtype::kFloat32));
  y.backward();
  for (const auto& [name, parameter] : block.namedparams()) {
    EXPECT_EQ(parameter.grad().shape(), parameter.shape()) << name;
  }
  EXPECT_EQ(x.grad().shape(), x.shape());
}

TEST_P(TransformerBlockTest, EveryKindOfFeedForwardHasGradients) {
  for (const FeedForward activation :
       {FeedForward::kRelu, FeedForward::kGelu, FeedForward::kTanhGelu,
        FeedForward::kSilu, FeedForward::kSwiglu, FeedForward::kGeglu,
        FeedForward::kTanhGeglu}) {
    const TransformerBlockOptions options = {
        .attention = {.kv_heads = 1, .nobias = true},
        .hidden = 10,
        .activation = activation};
    TransformerBlock block(8, 2, options);
    block.to_device(device());
    expect_gradients(block);
    RmsTransformerBlock rms(8, 2, options);
    rms.to_device(device());
    expect_gradients(rms);
    const bool is_gated = activation >= FeedForward::kSwiglu;
    EXPECT_EQ(rms.layer1->W.shape(), Shape({is_gated ? 20 : 10, 8}));
  }
}

// What is added to x is: of the attention, of the layers, and nothing else.
TEST_P(TransformerBlockTest, AddsToItsInput) {
  TransformerBlock block(8, 2);
  block.to_device(device());
  const Variable x = block_input({2, 3, 8});
  for (Linear* last : {&*block.attention->out, &*block.layer2}) {
    last->W.data().fill(0);
  }
  EXPECT_THAT(block(x).data(), testing::IsArray(x.data()));
  block.layer2->b.data().fill(1);
  EXPECT_THAT(block(x).data(), testing::IsClose(x.data() + 1));
}

TEST_P(TransformerBlockTest, DropoutIsForTraining) {
  TransformerBlock block(8, 2, {.dropout = 0.5});
  block.to_device(device());
  const Variable x = block_input({2, 3, 8});
  const Array y = block(x).data();
  EXPECT_FALSE(array::array_equal(y, block(x).data()));
  const auto scope = using_config(&Config::train, false);
  EXPECT_THAT(block(x).data(), testing::IsArray(block(x).data()));
}

TEST_P(TransformerBlockTest, MayNormalizeSums) {
  TransformerBlock block(8, 2, {.hidden = 6, .post_norm = true, .eps = 1e-3});
  block.to_device(device());
  const Variable x = block_input({2, 3, 8});
  const functions::LinearOptions two = {.n_batch_axes = 2};
  const Variable h =
      (*block.norm1)(x + (*block.attention)(x), {.n_batch_axes = 2});
  const Variable inner =
      feed_forward_activation((*block.layer1)(h, two), FeedForward::kGelu);
  const Variable y =
      (*block.norm2)(h + (*block.layer2)(inner, two), {.n_batch_axes = 2});
  EXPECT_THAT(block(x).data(), testing::IsClose(y.data()));
  expect_gradients(block);
}

TEST_P(TransformerBlockTest, LayersHaveTheirOwnBiases) {
  TransformerBlock block(8, 2,
                         {.attention = {.nobias = true}, .nobias = false});
  EXPECT_FALSE(block.attention->qkv->b.defined());
  EXPECT_FALSE(block.attention->out->b.defined());
  EXPECT_TRUE(block.layer1->b.defined());
  EXPECT_TRUE(block.layer2->b.defined());
}

TEST(TransformerBlockErrorTest, NamesWhatDoesNotFit) {
  EXPECT_THAT(
      error_of<ValueError>([] { TransformerBlock(8, 2, {.hidden = 0}); }),
      HasSubstr("expected positive hidden, got 0"));
  EXPECT_THAT(error_of<ValueError>([] { TransformerBlock(8, 3); }),
              HasSubstr("expected heads to divide units"));
}

}  // namespace
}  // namespace catena::links
