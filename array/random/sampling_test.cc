#include "catena/array/random/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

namespace xp = catena::array;
namespace random = catena::array::random;
using ::catena::testing::error_of;
using catena::testing::IsArray;
using random::Generator;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

template <class T>
std::vector<T> elements(const Array& a) {
  const Array host = a.to_device(native_device()).contiguous();
  return {host.data<T>(), host.data<T>() + host.size()};
}

// Pearson's statistic of counts against probabilities.
double chi_square(const std::vector<int64_t>& counts,
                  const std::vector<double>& p) {
  double total = 0;
  for (const int64_t count : counts) total += static_cast<double>(count);
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    const double expected = total * p[i];
    const auto count = static_cast<double>(counts[i]);
    if (p[i] == 0) {
      EXPECT_EQ(counts[i], 0) << i;
    } else {
      sum += (count - expected) * (count - expected) / expected;
    }
  }
  return sum;
}

template <class T>
std::vector<int64_t> count(const std::vector<T>& draws, size_t n) {
  std::vector<int64_t> counts(n);
  for (const T i : draws) ++counts.at(i);
  return counts;
}

class SamplingTest : public catena::testing::DeviceTest {
 protected:
  Array on_device(const Array& a) { return a.to_device(device()); }
};

// What one sample in 100,000 exceeds, with 4 degrees of freedom; the seeds are
// fixed.
constexpr double kCritical4 = 28.5;

TEST_P(SamplingTest, TheAliasMethodDrawsByTheProbabilities) {
  const std::vector<double> p = {0.1, 0.4, 0.0, 0.2, 0.25, 0.05};
  const random::WalkerAlias table(
      on_device(xp::array({2.0, 8.0, 0.0, 4.0, 5.0, 1.0})));
  EXPECT_EQ(table.size(), 6);
  EXPECT_EQ(table.device(), device());
  Generator generator(1, device());
  const Array draws = table.sample({300, 400}, generator);
  EXPECT_EQ(draws.dtype(), Dtype::kInt32);
  EXPECT_EQ(draws.shape(), Shape({300, 400}));
  EXPECT_LT(chi_square(count(elements<int32_t>(draws), 6), p), kCritical4);
}

TEST_P(SamplingTest, TheAliasMethodHoldsForManyAndForOneValue) {
  Generator generator(2, device());
  std::vector<double> p(1000);
  const Array weights = xp::empty({1000}, Dtype::kFloat64, native_device());
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    weights.data<double>()[i] = i % 3 == 0 ? 0 : std::pow(i, 0.75);
    sum += weights.data<double>()[i];
  }
  for (int i = 0; i < 1000; ++i) p[i] = weights.data<double>()[i] / sum;
  const random::WalkerAlias table(on_device(weights));
  const auto draws = elements<int32_t>(table.sample({1000000}, generator));
  // 666 degrees of freedom: mean 666, standard deviation 36.5.
  EXPECT_NEAR(chi_square(count(draws, 1000), p), 666, 4.3 * 36.5);

  const random::WalkerAlias single(on_device(xp::array({3.0})));
  EXPECT_THAT(single.sample({5}, generator),
              IsArray(xp::array({0, 0, 0, 0, 0}).astype(Dtype::kInt32)));
}

TEST_P(SamplingTest, TablesMoveBetweenDevices) {
  random::WalkerAlias table(xp::array({1.0, 0.0}));
  EXPECT_EQ(table.to_device(device()).device(), device());
  EXPECT_EQ(table.sample({4}).device(), device());
}

TEST(WalkerAliasTest, RefusesWhatAreNoProbabilities) {
  const auto make = [](const Array& p) { random::WalkerAlias table(p); };
  EXPECT_THAT(error_of<ShapeError>([&] {
                make(xp::ones({2, 2}));
              }),
              HasSubstr("WalkerAlias: expected probabilities of one "
                        "dimension, got shape (2, 2)"));
  EXPECT_THAT(error_of<ValueError>([&] {
                make(xp::array({1.0, -0.5}));
              }),
              HasSubstr("got -0.5 at 1"));
  EXPECT_THAT(error_of<ValueError>([&] {
                make(xp::array({0.0, 0.0}));
              }),
              HasSubstr("positive, finite sum"));
  EXPECT_THAT(error_of<ValueError>([&] { make(xp::zeros({0})); }),
              HasSubstr("got 0"));
}

TEST_P(SamplingTest, ChoiceWithReplacementFollowsTheProbabilities) {
  Generator generator(3, device());
  const std::vector<double> p = {0.5, 0.125, 0.0, 0.125, 0.125, 0.125};
  const Array draws = random::choice(
      6, {100000}, {.p = xp::array({0.5, 0.125, 0.0, 0.125, 0.125, 0.125})},
      generator);
  EXPECT_EQ(draws.dtype(), Dtype::kInt64);
  EXPECT_LT(chi_square(count(elements<int64_t>(draws), 6), p), kCritical4);
  const Array even = random::choice(5, {100000}, {}, generator);
  EXPECT_LT(
      chi_square(count(elements<int64_t>(even), 5), {0.2, 0.2, 0.2, 0.2, 0.2}),
      kCritical4);
}

TEST_P(SamplingTest, ChoiceWithoutReplacementDrawsByWhatIsLeft) {
  Generator generator(4, device());
  const Array p = xp::array({0.5, 0.3, 0.2, 0.0});
  std::map<std::vector<int64_t>, int64_t> counts;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    ++counts[elements<int64_t>(
        random::choice(4, {2}, {.replace = false, .p = p}, generator))];
  }
  // First i, then j among the rest: p[i] p[j] / (1 - p[i]).
  const double weights[] = {0.5, 0.3, 0.2};
  ASSERT_EQ(counts.size(), 6);
  double chi = 0;
  for (const auto& [pair, n] : counts) {
    const double expected =
        kDraws * weights[pair[0]] * weights[pair[1]] / (1 - weights[pair[0]]);
    const double difference = static_cast<double>(n) - expected;
    chi += difference * difference / expected;
  }
  EXPECT_LT(chi, 30.9);  // 5 degrees of freedom
}

TEST_P(SamplingTest, ChoiceWithoutReplacementRepeatsNothing) {
  Generator generator(5, device());
  std::vector<int64_t> draws = elements<int64_t>(
      random::choice(10, {2, 5}, {.replace = false}, generator));
  std::sort(draws.begin(), draws.end());
  EXPECT_THAT(draws, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_P(SamplingTest, ChoiceTakesElementsOfAnArray) {
  Generator generator(6, device());
  const Array a = on_device(xp::array({1.5, 2.5, 3.5}));
  EXPECT_THAT(
      random::choice(a, {4}, {.p = xp::array({0.0, 1.0, 0.0})}, generator),
      IsArray(xp::array({2.5, 2.5, 2.5, 2.5})));
  EXPECT_THAT(random::choice(a, {0, 3}, {}, generator),
              IsArray(xp::zeros({0, 3})));
}

TEST_P(SamplingTest, ShuffleAndPermutationKeepRowsWhole) {
  Generator generator(7, device());
  const Array a = on_device(xp::arange(24).reshape({6, 4}));
  const Array shuffled = random::permutation(a, generator);
  EXPECT_THAT(a, IsArray(xp::arange(24).reshape({6, 4})));
  random::shuffle(a, generator);
  for (const Array& rows : {shuffled, a}) {
    std::vector<int64_t> values = elements<int64_t>(rows);
    for (size_t i = 0; i < values.size(); i += 4) {
      EXPECT_EQ(values[i] % 4, 0);
      for (int j = 1; j < 4; ++j) EXPECT_EQ(values[i + j], values[i] + j);
    }
    std::sort(values.begin(), values.end());
    EXPECT_THAT(values, ElementsAreArray(elements<int64_t>(xp::arange(24))));
  }
  EXPECT_NE(elements<int64_t>(a), elements<int64_t>(shuffled));
}

TEST_P(SamplingTest, ShuffleIsEven) {
  Generator generator(8, device());
  std::map<std::vector<int64_t>, int64_t> counts;
  const Array a = on_device(xp::arange(3));
  for (int i = 0; i < 12000; ++i) {
    random::shuffle(a, generator);
    ++counts[elements<int64_t>(a)];
  }
  ASSERT_EQ(counts.size(), 6);
  for (const auto& [order, n] : counts) EXPECT_NEAR(n, 2000, 200);
}

TEST_P(SamplingTest, BadArgumentsAreRefusedAndNothingIsDrawn) {
  Generator generator(9, device());
  const auto before = generator.state();
  const auto draw = [&](int64_t n, const Shape& shape,
                        const random::ChoiceOptions& options) {
    random::choice(n, shape, options, generator);
  };
  EXPECT_THAT(error_of<ValueError>([&] { draw(0, {1}, {}); }),
              HasSubstr("at least 1 value"));
  EXPECT_THAT(error_of<ValueError>([&] { draw(3, {4}, {.replace = false}); }),
              HasSubstr("choice: expected at most 3 draws without "
                        "replacement"));
  EXPECT_THAT(
      error_of<ValueError>([&] {
        draw(3, {3}, {.replace = false, .p = xp::array({0.5, 0.5, 0.0})});
      }),
      HasSubstr("expected at most 2 draws"));
  for (const Shape& shape : {Shape{-1}, Shape{int64_t{1} << 62, 4}}) {
    EXPECT_THROW(draw(3, shape, {}), ShapeError);
    EXPECT_THROW(
        draw(3, shape, {.replace = false, .p = xp::array({0.5, 0.25, 0.25})}),
        ShapeError);
  }
  EXPECT_THAT(error_of<ShapeError>([&] {
                draw(3, {1}, {.p = xp::array({0.5, 0.5})});
              }),
              HasSubstr("expected 3 probabilities, got shape (2,)"));
  EXPECT_THAT(error_of<ValueError>([&] {
                draw(2, {1}, {.p = xp::array({0.5, 0.4})});
              }),
              HasSubstr("add up to 1"));
  EXPECT_THAT(error_of<ValueError>([&] {
                draw(2, {1}, {.p = xp::array({1.5, -0.5})});
              }),
              HasSubstr("got -0.5 at 1"));
  EXPECT_THAT(error_of<ShapeError>([&] {
                random::choice(xp::ones({2, 2}), {1});
              }),
              HasSubstr("one dimension"));
  EXPECT_THAT(error_of<ShapeError>([&] { random::shuffle(xp::array(1.0)); }),
              HasSubstr("shuffle"));
  EXPECT_THAT(
      error_of<ShapeError>([&] { random::permutation(xp::array(1.0)); }),
      HasSubstr("permutation"));
  EXPECT_THAT(error_of<ValueError>([&] {
                random::shuffle(on_device(xp::ones({1})).broadcast_to({3}),
                                generator);
              }),
              HasSubstr("broadcast view"));
  EXPECT_EQ(generator.state(), before);
}

INSTANTIATE_TEST_SUITE_P(All, SamplingTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
