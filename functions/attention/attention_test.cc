#include "catena/functions/attention/attention.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/core/captured_work.h"
#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/statistics/averages.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/functions/attention/plain_attention.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class AttentionTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Attention, AttentionTest, testing::every_device(),
                         testing::device_name);

struct Sizes {
  int64_t batch = 2;
  int64_t heads = 4;
  int64_t kv_heads = 2;
  int64_t queries = 5;
  int64_t keys = 7;
  int64_t size = 3;
  int64_t value_size = 4;
};

struct Inputs {
  Array q;
  Array k;
  Array v;
};

Inputs inputs_of(const Sizes& sizes, Dtype dtype = Dtype::kFloat64) {
  const auto [batch, heads, kv_heads, queries, keys, size, value_size] = sizes;
  return {
      testing::uniform({batch, heads, queries, size}, -2, 2, dtype, 1),
      testing::uniform({batch, kv_heads, keys, size}, -2, 2, dtype, 2),
      testing::uniform({batch, kv_heads, keys, value_size}, -2, 2, dtype, 3)};
}

// Options of each kind, and some together, for inputs of these sizes.
struct Case {
  std::string name;
  AttentionOptions options;
};
std::vector<Case> cases_for(const Sizes& sizes) {
  const Shape scores{sizes.batch, sizes.heads, sizes.queries, sizes.keys};
  const Array shared_mask = array::greater(
      testing::uniform({sizes.queries, sizes.keys}, -1, 1, Dtype::kFloat64, 5),
      -0.3);
  // Adds infinities in some places.
  const Array bias = array::where(
      array::greater(testing::uniform(scores, -1, 1, Dtype::kFloat64, 6), -0.6),
      testing::uniform(scores, -1, 1, Dtype::kFloat64, 7),
      array::full({}, -INFINITY, Dtype::kFloat64));
  const Array lengths = array::arange(sizes.batch) % (sizes.keys + 1);
  const Array slopes =
      testing::uniform({sizes.heads}, 0.1, 1, Dtype::kFloat64, 8);
  return {
      {"nothing", {}},
      {"scale", {.scale = -0.7}},
      {"causal", {.causal = true}},
      {"window", {.window = 2}},
      {"causal window", {.causal = true, .window = 3}},
      {"bool mask", {.mask = shared_mask}},
      {"additive mask", {.mask = bias}},
      {"mask of rows",
       {.mask = bias[{Slice(), Slice(), Slice(), Slice(0, 1)}]}},
      {"lengths", {.lengths = lengths}},
      {"alibi", {.alibi_slopes = slopes}},
      {"soft cap", {.soft_cap = 0.8}},
      {"all",
       {.scale = 0.9,
        .causal = true,
        .window = 4,
        .mask = bias,
        .lengths = lengths,
        .alibi_slopes = slopes,
        .soft_cap = 1.5}},
  };
}

Variable attended(const Inputs& in, const AttentionOptions& options) {
  return attention(in.q, in.k, in.v, options);
}

// The same composed of other functions, with gradients for a given gy.
std::vector<Array> with_gradients(
    const Inputs& in,
    const std::function<Variable(const Variable&, const Variable&,
                                 const Variable&)>& function) {
  const Variable q(in.q);
  const Variable k(in.k);
  const Variable v(in.v);
  const Variable y = function(q, k, v);
  // Numbers that every dtype has.
  y.set_grad(
      (array::rint(testing::uniform(y.shape(), -8, 8, Dtype::kFloat64, 9)) / 8)
          .astype(y.dtype()));
  y.backward();
  return {y.data(), q.grad(), k.grad(), v.grad()};
}

TEST_P(AttentionTest, GradientsMatchFiniteDifferences) {
  const Sizes sizes;
  const Inputs in = inputs_of(sizes);
  for (const Case& c : cases_for(sizes)) {
    // The others are compared below; emulated GPUs need minutes for all.
    if (!device().is_native() && c.name != "all") continue;
    SCOPED_TRACE(c.name);
    testing::check_function_gradients(
        [&](const Variable& q, const Variable& k, const Variable& v) {
          return attention(q, k, v, c.options);
        },
        {in.q, in.k, in.v});
  }
}

// Sizes below, at and above those of tiles, with and without shared heads.
TEST_P(AttentionTest, TilesGiveWhatAllScoresGive) {
  const Sizes all_sizes[] = {
      {.queries = 1, .keys = 1, .size = 1, .value_size = 1},
      {.queries = 1, .keys = 300, .size = 8, .value_size = 8},
      {.queries = 65, .keys = 257, .size = 5, .value_size = 7},
      {.batch = 1, .heads = 2, .kv_heads = 1, .queries = 130, .keys = 120},
      {.batch = 3, .heads = 6, .kv_heads = 6, .queries = 70, .keys = 70},
      {.queries = 300, .keys = 300, .size = 4, .value_size = 2},
  };
  for (const Sizes& sizes : all_sizes) {
    const Inputs in = inputs_of(sizes);
    for (const Case& c : cases_for(sizes)) {
      SCOPED_TRACE(str(c.name, ", ", sizes.queries, " by ", sizes.keys));
      AttentionOptions options = c.options;
      const auto tiled = with_gradients(
          in, [&](const Variable& q, const Variable& k, const Variable& v) {
            return attention(q, k, v, options);
          });
      if (!options.scale) {
        options.scale = 1 / std::sqrt(static_cast<double>(sizes.size));
      }
      const auto plain = with_gradients(
          in, [&](const Variable& q, const Variable& k, const Variable& v) {
            return plain_attention(q, k, v, options, {});
          });
      for (size_t i = 0; i < tiled.size(); ++i) {
        EXPECT_THAT(tiled[i],
                    testing::IsClose(plain[i], {.rtol = 1e-10, .atol = 1e-11}))
            << "result " << i;
      }
    }
  }
}

TEST_P(AttentionTest, AQueryWithoutKeysGivesZeros) {
  const Sizes sizes{.queries = 9, .keys = 4};
  const Inputs in = inputs_of(sizes);
  const auto results = with_gradients(
      in, [&](const Variable& q, const Variable& k, const Variable& v) {
        return attention(q, k, v, {.causal = true});
      });
  // The last query is at the last key: the first five are before all keys.
  const Slice early(0, 5);
  EXPECT_THAT((results[0][{Slice(), Slice(), early}]),
              testing::IsArray(array::zeros({2, 4, 5, 4})));
  EXPECT_THAT((results[1][{Slice(), Slice(), early}]),
              testing::IsArray(array::zeros({2, 4, 5, 3})));
  const Array none = array::zeros({2}, Dtype::kInt32);
  EXPECT_THAT(attended(in, {.lengths = none}).data(),
              testing::IsArray(array::zeros({2, 4, 9, 4})));
}

TEST_P(AttentionTest, EmptyInputsGiveEmptyResultsOrZeros) {
  for (const Sizes& sizes :
       {Sizes{.batch = 0}, Sizes{.queries = 0}, Sizes{.keys = 0},
        Sizes{.size = 0}, Sizes{.value_size = 0}}) {
    const auto results =
        with_gradients(inputs_of(sizes),
                       [&](const Variable& q, const Variable& k,
                           const Variable& v) { return attention(q, k, v); });
    EXPECT_EQ(results[0].shape(),
              Shape({sizes.batch, 4, sizes.queries, sizes.value_size}));
  }
  const Inputs in = inputs_of({.keys = 0});
  EXPECT_THAT(attended(in, {}).data(),
              testing::IsArray(array::zeros({2, 4, 5, 4})));
}

// With a cache: the queries of the last steps see what all steps see.
TEST_P(AttentionTest, TheLastQueriesGiveTheLastRows) {
  const Inputs in = inputs_of({.queries = 40, .keys = 40});
  const Array whole = attended(in, {.causal = true, .window = 9}).data();
  const Inputs last = {in.q[{Slice(), Slice(), Slice(37, 40)}], in.k, in.v};
  EXPECT_THAT(attended(last, {.causal = true, .window = 9}).data(),
              testing::IsClose(whole[{Slice(), Slice(), Slice(37, 40)}],
                               {.rtol = 1e-12, .atol = 1e-12}));
}

TEST_P(AttentionTest, NanStaysNanWhereItIsSeen) {
  Inputs in = inputs_of({});
  in.k = in.k.copy();
  in.k[{0, 0, 6}].fill(NAN);
  const Array y = attended(in, {.causal = true}).data();
  // Seen by the last query alone, in the heads that share the keys.
  const Array is_nan = array::isnan(y);
  EXPECT_THAT(array::all(is_nan[{0, Slice(0, 2), 4}]),
              testing::IsArray(array::array(true)));
  EXPECT_THAT(array::any(is_nan[{0, Slice(0, 2), Slice(0, 4)}]),
              testing::IsArray(array::array(false)));
  in.k.fill(NAN);
  EXPECT_THAT(array::all(array::isnan(attended(in, {}).data())),
              testing::IsArray(array::array(true)));
}

TEST_P(AttentionTest, EveryFloatDtypeIsKeptAndComputedInMore) {
  const Sizes sizes{.queries = 70, .keys = 270, .size = 16, .value_size = 16};
  for (const Dtype dtype : testing::float_dtypes()) {
    const Inputs in = inputs_of(sizes, dtype);
    const Inputs exact = {in.q.astype(Dtype::kFloat64),
                          in.k.astype(Dtype::kFloat64),
                          in.v.astype(Dtype::kFloat64)};
    for (const Case& c : cases_for(sizes)) {
      SCOPED_TRACE(str(dtype, ", ", c.name));
      const auto function = [&](const Variable& q, const Variable& k,
                                const Variable& v) {
        return attention(q, k, v, c.options);
      };
      const auto results = with_gradients(in, function);
      const auto expected = with_gradients(exact, function);
      const double tolerance = dtype == Dtype::kFloat64    ? 1e-12
                               : dtype == Dtype::kFloat32  ? 2e-5
                               : dtype == Dtype::kBFloat16 ? 5e-2
                                                           : 6e-3;
      for (size_t i = 0; i < results.size(); ++i) {
        EXPECT_EQ(results[i].dtype(), dtype);
        EXPECT_THAT(results[i].astype(Dtype::kFloat64),
                    testing::IsClose(expected[i],
                                     {.rtol = tolerance, .atol = tolerance}))
            << "result " << i;
      }
    }
  }
}

// Rows of GPUs' tiles are filled, or not; whole chunks of 16 bytes, or not. The
// longest have no tiles there.
TEST_P(AttentionTest, EveryHeadSizeGivesWhatFloat64Gives) {
  const std::pair<int64_t, int64_t> head_sizes[] = {
      {16, 16},  {24, 40},  {63, 65},   {64, 64},
      {128, 96}, {72, 136}, {256, 200}, {520, 8}};
  for (const Dtype dtype : testing::float_dtypes()) {
    const double tolerance = dtype == Dtype::kFloat64    ? 1e-12
                             : dtype == Dtype::kFloat32  ? 2e-5
                             : dtype == Dtype::kBFloat16 ? 5e-2
                                                         : 6e-3;
    for (const auto& [size, value_size] : head_sizes) {
      SCOPED_TRACE(str(dtype, ", ", size, " and ", value_size));
      const Inputs in = inputs_of({.batch = 1,
                                   .heads = 2,
                                   .kv_heads = 1,
                                   .queries = 37,
                                   .keys = 83,
                                   .size = size,
                                   .value_size = value_size},
                                  dtype);
      const double scale = 1 / std::sqrt(static_cast<double>(size));
      const AttentionOptions options{.scale = scale, .causal = true};
      const auto results = with_gradients(
          in, [&](const Variable& q, const Variable& k, const Variable& v) {
            return attention(q, k, v, options);
          });
      const auto expected = with_gradients(
          {in.q.astype(Dtype::kFloat64), in.k.astype(Dtype::kFloat64),
           in.v.astype(Dtype::kFloat64)},
          [&](const Variable& q, const Variable& k, const Variable& v) {
            return plain_attention(q, k, v, options, {});
          });
      for (size_t i = 0; i < results.size(); ++i) {
        EXPECT_THAT(results[i].astype(Dtype::kFloat64),
                    testing::IsClose(expected[i],
                                     {.rtol = tolerance, .atol = tolerance}))
            << "result " << i;
      }
    }
  }
}

// What rows of memory allow is the same as what copies give, to the bit.
TEST_P(AttentionTest, RowsMayBeginAnywhere) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBFloat16}) {
    const Inputs wide = inputs_of(
        {.queries = 20, .keys = 30, .size = 33, .value_size = 33}, dtype);
    const auto part = [](const Array& x) {
      return x[{Slice(), Slice(), Slice(), Slice(1, 33)}];
    };
    const Inputs views = {part(wide.q), part(wide.k), part(wide.v)};
    const Inputs copies = {views.q.copy(), views.k.copy(), views.v.copy()};
    const auto function = [](const Variable& q, const Variable& k,
                             const Variable& v) { return attention(q, k, v); };
    const auto results = with_gradients(views, function);
    const auto expected = with_gradients(copies, function);
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_THAT(results[i], testing::IsArray(expected[i])) << "result " << i;
    }
  }
}

// Views of (B, T, H, d), as products of a layer give them, also have such a
// result and such gradients.
TEST_P(AttentionTest, TransposedViewsGiveTransposedResults) {
  const Inputs in = inputs_of({.kv_heads = 4, .value_size = 3});
  const auto transposed = [](const Array& x) {
    return x.transpose({0, 2, 1, 3}).copy().transpose({0, 2, 1, 3});
  };
  const Inputs views = {transposed(in.q), transposed(in.k), transposed(in.v)};
  const auto function = [](const Variable& q, const Variable& k,
                           const Variable& v) { return attention(q, k, v); };
  const auto results = with_gradients(views, function);
  const auto expected = with_gradients(in, function);
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_THAT(results[i],
                testing::IsClose(expected[i], {.rtol = 1e-12, .atol = 1e-12}));
  }
  EXPECT_TRUE(results[0].transpose({0, 2, 1, 3}).is_contiguous());
  // Reversed, broadcast and strided ones.
  const Inputs odd = {
      in.q[{Slice(), Slice(), Slice({}, {}, -1)}],
      in.k[{Slice(0, 1)}].broadcast_to(in.k.shape()),
      array::concatenate({in.v, in.v},
                         3)[{Slice(), Slice(), Slice(), Slice({}, {}, 2)}]};
  const Inputs copies = {odd.q.copy(), odd.k.copy(), odd.v.copy()};
  EXPECT_THAT(attended(odd, {}).data(),
              testing::IsClose(attended(copies, {}).data(),
                               {.rtol = 1e-12, .atol = 1e-12}));
}

TEST_P(AttentionTest, SelfAttentionOfOneVariableHasSecondDerivatives) {
  testing::check_function_gradients(
      [](const Variable& x) { return attention(x, x, x, {.causal = true}); },
      {testing::uniform({2, 2, 4, 3})});
}

TEST_P(AttentionTest, ArraysAreTheCallers) {
  const Inputs in = inputs_of({});
  const Array mask = array::zeros({5, 7}, Dtype::kFloat64);
  const Array lengths = array::array({7, 7}, Dtype::kInt32);
  const Array slopes = array::ones({4}, Dtype::kFloat64);
  const auto gradient = [&] {
    const Variable q(in.q);
    const Variable y = attention(q, in.k, in.v,
                                 {.mask = mask.copy(),
                                  .lengths = lengths.copy(),
                                  .alibi_slopes = slopes.copy()});
    y.set_grad(array::ones(y.shape(), y.dtype()));
    y.backward();
    return q.grad();
  };
  const Array expected = gradient();
  const Variable q(in.q);
  const Variable y =
      attention(q, in.k, in.v,
                {.mask = mask, .lengths = lengths, .alibi_slopes = slopes});
  y.set_grad(array::ones(y.shape(), y.dtype()));
  mask.fill(-3);
  lengths.fill(1 << 30);
  slopes.fill(100);
  y.backward();
  EXPECT_THAT(q.grad(), testing::IsArray(expected));
}

TEST_P(AttentionTest, DropoutDropsThatShareInTrainingAlone) {
  // Values of one: y is the sum of weights after dropout.
  Inputs in = inputs_of({.queries = 80, .keys = 300});
  in.v = array::ones(in.v.shape(), Dtype::kFloat64);
  {
    const auto scope = using_config(&Config::train, false);
    EXPECT_THAT(attended(in, {.dropout = 0.5}).data(),
                testing::IsClose(array::ones({2, 4, 80, 4}),
                                 {.rtol = 1e-12, .atol = 0}));
  }
  const Array y = attended(in, {.dropout = 0.25}).data();
  EXPECT_NEAR(array::mean(y).item<double>(), 1, 0.01);
  EXPECT_GT(array::std(y).item<double>(), 0.01);
}

TEST_P(AttentionTest, GradientsDropWhatTheForwardPassDropped) {
  const Inputs in = inputs_of({.queries = 4, .keys = 5});
  testing::check_function_gradients(
      [&](const Variable& q, const Variable& k, const Variable& v) {
        array::random::generator(q.device()).seed(3);
        return attention(q, k, v, {.dropout = 0.4});
      },
      {in.q, in.k, in.v});
}

// A captured step drops other weights in each launch, the same both ways.
TEST_P(AttentionTest, CapturedDropoutDrawsInEachLaunch) {
  if (!can_capture(device())) GTEST_SKIP() << "captures nothing";
  // Values and gradients of one: both results sum all weights.
  Inputs in = inputs_of({.queries = 20, .keys = 30}, Dtype::kFloat32);
  in.v = array::ones(in.v.shape(), Dtype::kFloat32);
  const Array lengths = array::array({30, 17}, Dtype::kInt32, native_device());
  Array y;
  Array gv;
  const auto step = [&] {
    const Variable v(in.v);
    const Variable result =
        attention(in.q, in.k, v, {.lengths = lengths, .dropout = 0.5});
    result.set_grad(array::ones(result.shape(), result.dtype()));
    result.backward();
    y = result.data();
    gv = v.grad();
  };
  step();
  const auto work = capture_work(device(), step);
  work->launch();
  const Array first = y.copy();
  for (int i = 0; i < 2; ++i) {
    work->launch();
    EXPECT_THAT(y, ::testing::Not(testing::IsArray(first)));
    EXPECT_NEAR(array::sum(y).item<double>(), array::sum(gv).item<double>(),
                1e-2);
  }
}

TEST(AttentionThreadsTest, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = get_num_threads();
  for (const Sizes& sizes : {Sizes{.batch = 1,
                            .heads = 1,
                            .kv_heads = 1,
                            .queries = 150,
                            .keys = 600,
                            .size = 32,
                            .value_size = 32},
                             Sizes{.batch = 4,
                             .heads = 4,
                             .kv_heads = 2,
                             .queries = 100,
                             .keys = 300,
                             .size = 32,
                             .value_size = 32}}) {
    const Inputs in = inputs_of(sizes, Dtype::kFloat32);
    const auto function = [](const Variable& q, const Variable& k,
                             const Variable& v) {
      return attention(q, k, v, {.causal = true});
    };
    set_num_threads(1);
    const auto one = with_gradients(in, function);
    set_num_threads(2);
    const auto two = with_gradients(in, function);
    set_num_threads(before);
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_THAT(two[i], testing::IsArray(one[i])) << "result " << i;
    }
  }
}

TEST(AttentionErrorTest, NamesWhatDoesNotFit) {
  const Variable q(array::zeros({2, 4, 5, 3}));
  const Variable k(array::zeros({2, 2, 7, 3}));
  const Variable v(array::zeros({2, 2, 7, 4}));
  const auto error = [&](const Variable& a, const Variable& b,
                         const Variable& c, const AttentionOptions& options) {
    return error_of<InvalidType>([&] { attention(a, b, c, options); });
  };
  EXPECT_THAT(error(Variable(array::zeros({2, 4, 5})), k, v, {}),
              HasSubstr("Expect: q.ndim == 4\nActual: 3 != 4"));
  EXPECT_THAT(error(q, Variable(array::zeros({2, 2, 7, 4})), v, {}),
              HasSubstr("k.shape[3] == q.shape[3]"));
  EXPECT_THAT(error(q, k, Variable(array::zeros({2, 2, 6, 4})), {}),
              HasSubstr("v.shape[2] == k.shape[2]"));
  EXPECT_THAT(error(q, Variable(array::zeros({2, 3, 7, 3})),
                    Variable(array::zeros({2, 3, 7, 4})), {}),
              HasSubstr("Expect: k.shape[1] divides q.shape[1]\n"
                        "Actual: 3 does not divide 4"));
  EXPECT_THAT(
      error(q, Variable(array::zeros({2, 2, 7, 3}, Dtype::kFloat32)), v, {}),
      HasSubstr("k.dtype == q.dtype"));
  EXPECT_THAT(error(q, k, v, {.mask = array::ones({5, 6}, Dtype::kBool)}),
              HasSubstr("Expect: mask.shape broadcasts to (2, 4, 5, 7)\n"
                        "Actual: (5, 6)"));
  EXPECT_THAT(error(q, k, v, {.lengths = array::zeros({3}, Dtype::kInt32)}),
              HasSubstr("Expect: lengths.shape == (2,)\nActual: (3,)"));
  EXPECT_THAT(error(q, k, v, {.alibi_slopes = array::ones({2})}),
              HasSubstr("Expect: alibi_slopes.shape == (4,)\nActual: (2,)"));
}

TEST(AttentionErrorTest, NamesOptionsOutOfRange) {
  const Variable q(array::zeros({2, 4, 5, 3}));
  const Variable k(array::zeros({2, 2, 7, 3}));
  const auto error = [&](const AttentionOptions& options) {
    return error_of<ValueError>([&] { attention(q, k, k, options); });
  };
  EXPECT_THAT(error({.scale = NAN}), HasSubstr("expected a finite scale"));
  EXPECT_THAT(error({.soft_cap = -1}), HasSubstr("soft_cap, got -1"));
  EXPECT_THAT(error({.dropout = 1}), HasSubstr("[0, 1) as dropout, got 1"));
  EXPECT_THAT(error({.window = 0}),
              HasSubstr("expected a positive window, got 0"));
  EXPECT_THAT(error({.lengths = array::array({7, 8}, Dtype::kInt32)}),
              HasSubstr("expected lengths from 0 to 7, got 8 for item 1"));
  EXPECT_THAT(
      error_of<DtypeError>([&] {
        attention(q, k, k, {.mask = array::ones({5, 7}, Dtype::kInt32)});
      }),
      HasSubstr("expected mask to be bool or floating, got int32"));
}

}  // namespace
}  // namespace catena::functions
