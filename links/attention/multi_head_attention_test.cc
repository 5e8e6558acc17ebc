#include "catena/links/attention/multi_head_attention.h"

#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/comparison.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/attention/attention.h"
#include "catena/functions/attention/rotary_embedding.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/normalization/rms_normalization.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::links {
namespace {

namespace F = catena::functions;

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class MultiHeadAttentionTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, MultiHeadAttentionTest,
                         ::catena::testing::every_device());

Variable input(const Shape& shape) {
  return Variable(testing::uniform(shape, -1, 1, Dtype::kFloat32));
}

// Each head of each item on its own, from the same parameters.
TEST_P(MultiHeadAttentionTest, IsWhatItsHeadsGiveOneByOne) {
  constexpr int64_t kSize = 3;
  MultiHeadAttention link(8, 4, {.kv_heads = 2, .head_size = kSize});
  link.to_device(device());
  const Variable x = input({2, 5, 8});
  const Variable y = link(x);
  ASSERT_EQ(y.shape(), Shape({2, 5, 8}));
  for (int64_t item = 0; item < 2; ++item) {
    const Variable all =
        F::linear(F::get_item(x, {item}), link.qkv->W, link.qkv->b);
    const auto units = [&](int64_t head) {
      return F::get_item(all,
                         {Slice(), Slice(head * kSize, (head + 1) * kSize)});
    };
    Variables heads;
    for (int64_t head = 0; head < 4; ++head) {
      const Variable weights =
          F::softmax(F::matmul(units(head), units(4 + head / 2),
                               {.transb = true, .alpha = 1 / std::sqrt(3.0)}));
      heads.push_back(F::matmul(weights, units(6 + head / 2)));
    }
    const Variable expected =
        F::linear(F::concat(heads, {.axis = 1}), link.out->W, link.out->b);
    EXPECT_THAT(y.data()[item], testing::IsClose(expected.data(),
                                                 {.rtol = 1e-4, .atol = 1e-5}));
  }
}

TEST_P(MultiHeadAttentionTest, ParametersGetGradientsAndCallsHaveMasks) {
  MultiHeadAttention link(6, 2, {.nobias = true, .causal = true});
  link.to_device(device());
  EXPECT_FALSE(link.qkv->b.defined());
  const Variable x = input({2, 4, 6});
  const Variable y = link(x);
  y.set_grad(array::ones(y.shape(), Dtype::kFloat32));
  y.backward();
  EXPECT_EQ(link.qkv->W.grad().shape(), Shape({18, 6}));
  EXPECT_EQ(link.out->W.grad().shape(), Shape({6, 6}));
  EXPECT_EQ(x.grad().shape(), x.shape());
  // Padding changes nothing for an item that is shorter.
  const Array lengths = array::array({4, 3}, Dtype::kInt32);
  const Variable shorter = F::get_item(x, {Slice(1, 2), Slice(0, 3)});
  EXPECT_THAT((link(x, {.lengths = lengths}).data()[{1, Slice(0, 3)}]),
              testing::IsClose(link(shorter).data()[0]));
  EXPECT_THAT(link(x, {.mask = array::ones({4, 4}, Dtype::kBool)}).data(),
              testing::IsClose(y.data()));
}

TEST_P(MultiHeadAttentionTest, ACacheHoldsWhatEarlierCallsHadSeen) {
  MultiHeadAttention link(8, 4, {.kv_heads = 2, .causal = true});
  link.to_device(device());
  const Variable x = input({2, 5, 8});
  const Array whole = link(x).data();
  F::KeyValueCache cache({.batch = 2, .heads = 2, .size = 2, .capacity = 5});
  const auto part = [&](int64_t begin, int64_t end) {
    const Variable some = F::get_item(x, {Slice(), Slice(begin, end)});
    return link(some, {.cache = &cache}).data();
  };
  EXPECT_THAT(part(0, 3), testing::IsClose(whole[{Slice(), Slice(0, 3)}]));
  EXPECT_THAT(part(3, 4), testing::IsClose(whole[{Slice(), Slice(3, 4)}]));
  EXPECT_THAT(part(4, 5), testing::IsClose(whole[{Slice(), Slice(4, 5)}]));
  EXPECT_THAT(error_of<ValueError>([&] { part(4, 5); }),
              HasSubstr("at most 0 more keys"));
}

// The same from functions.
TEST_P(MultiHeadAttentionTest, TurnsAndNormalizesQueriesAndKeys) {
  constexpr double kEps = 0.01;
  MultiHeadAttention link(8, 2,
                          {.head_size = 4,
                           .nobias = true,
                           .out_nobias = false,
                           .query_key_eps = kEps,
                           .causal = true});
  (*link.query_norm)->gamma.data().fill(0.5);
  (*link.key_norm)->gamma.data().fill(3);
  link.to_device(device());
  EXPECT_FALSE(link.qkv->b.defined());
  EXPECT_TRUE(link.out->b.defined());
  const F::RotaryTables tables = F::rotary_tables(array::arange(3, 8), 4);
  const Variable x = input({2, 5, 8});
  const Variable parts = F::transpose(
      F::reshape(F::linear(x, link.qkv->W, {}, {.n_batch_axes = 2}),
                 {2, 5, 6, 4}),
      {0, 2, 1, 3});
  const auto head = [&](int64_t i) {
    return F::get_item(parts, {Slice(), Slice(i, i + 2)});
  };
  const auto prepared = [&](const Variable& heads, double gamma) {
    const Variable factors =
        as_variable(array::full({4}, gamma, Dtype::kFloat32));
    return F::rotary_embedding(
        F::rms_normalization(heads, factors, {.eps = kEps, .n_batch_axes = 3}),
        tables);
  };
  const Variable heads = F::attention(
      prepared(head(0), 0.5), prepared(head(2), 3), head(4), {.causal = true});
  const Variable expected =
      F::linear(F::reshape(F::transpose(heads, {0, 2, 1, 3}), {2, 5, 8}),
                link.out->W, link.out->b, {.n_batch_axes = 2});
  const Variable y = link(x, {.rotary = tables});
  EXPECT_THAT(y.data(),
              testing::IsClose(expected.data(), {.rtol = 1e-4, .atol = 1e-5}));
  EXPECT_FALSE(array::array_equal(y.data(), link(x).data()));
  y.set_grad(array::ones(y.shape(), Dtype::kFloat32));
  y.backward();
  for (const auto& [name, parameter] : link.namedparams()) {
    EXPECT_EQ(parameter.grad().shape(), parameter.shape()) << name;
  }
}

TEST(MultiHeadAttentionErrorTest, NamesWhatDoesNotFit) {
  EXPECT_THAT(error_of<ValueError>([] { MultiHeadAttention(8, 3); }),
              HasSubstr("expected heads to divide units, got 3 and 8"));
  EXPECT_THAT(
      error_of<ValueError>([] { MultiHeadAttention(8, 4, {.kv_heads = 3}); }),
      HasSubstr("got 8 units, 4 heads and 3 kv_heads"));
  EXPECT_THAT(error_of<ValueError>([] { MultiHeadAttention(0, 1); }),
              HasSubstr("got 0 units"));
  EXPECT_THAT(
      error_of<ValueError>([] { MultiHeadAttention(8, 4, {.head_size = 0}); }),
      HasSubstr("expected a positive head_size, got 0"));
  EXPECT_THAT(error_of<ValueError>(
                  [] { MultiHeadAttention(8, 4, {.query_key_eps = -1}); }),
              HasSubstr("query_key_eps of at least 0, got -1"));
  MultiHeadAttention link(8, 4);
  EXPECT_THAT(error_of<InvalidType>([&] {
                link(input({2, 3, 7}));
              }),
              HasSubstr("7 != 8"));
}

}  // namespace
}  // namespace catena::links
