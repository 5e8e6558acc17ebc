#include "catena/array/random/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/kernels/kernel_slot.h"
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
using ::testing::HasSubstr;

auto FloatNear(double value) { return ::testing::DoubleNear(value, 3e-7); }
auto Near(double value) { return ::testing::DoubleNear(value, 1e-14); }

std::vector<double> numbers(const Array& a) {
  const Array host =
      a.astype(Dtype::kFloat64).to_device(native_device()).contiguous();
  return {host.data<double>(), host.data<double>() + host.size()};
}

// The largest distance between the sample's distribution and F.
template <class F>
double kolmogorov_distance(std::vector<double> sample, F f) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double worst = 0;
  for (size_t i = 0; i < sample.size(); ++i) {
    const double at = f(sample[i]);
    const auto below = static_cast<double>(i);
    worst = std::max({worst, at - below / n, (below + 1) / n - at});
  }
  return worst;
}

// A distance that one sample in 100,000 exceeds; the seeds are fixed.
double critical_distance(size_t n) {
  return 2.47 / std::sqrt(static_cast<double>(n));
}

double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// Means over a sample of |x - mean|^k.
double moment(const std::vector<double>& x, double center, int k) {
  double sum = 0;
  for (const double value : x) sum += std::pow(value - center, k);
  return sum / static_cast<double>(x.size());
}

class RandomTest : public catena::testing::DeviceTest {};

// The elements at some positions.
std::vector<double> at(const Array& a, const std::vector<int64_t>& positions) {
  std::vector<double> values;
  for (const int64_t i : positions) values.push_back(a[i].item<double>());
  return values;
}

// The stream is part of the interface: snapshots and published results depend
// on it. The numbers were computed from the definitions, without this code.
TEST_P(RandomTest, TheFirstNumbersOfASeedStayTheSame) {
  Generator generator(42, device());
  const auto again = [&]() -> Generator& {
    generator.seed(42);
    return generator;
  };
  EXPECT_THAT(
      at(again().uniform(0, 1, {64}, Dtype::kFloat32), {0, 1, 15, 16, 17, 63}),
      ElementsAre(0.6129598617553711, 0.9877186417579651, 0.7427831888198853,
                  0.4685865044593811, 0.32706332206726074,
                  0.23068565130233765));
  EXPECT_THAT(at(again().uniform(0, 1, {32}), {0, 1, 16, 31}),
              ElementsAre(0.6129598801477738, 0.9877186516453577,
                          0.07323173687503892, 0.9879976751706429));
  EXPECT_THAT(
      at(again().normal(0, 1, {64}, Dtype::kFloat32), {0, 1, 15, 16, 17, 63}),
      ElementsAre(FloatNear(-0.9701897900660832), FloatNear(-0.0731815086),
                  FloatNear(-0.4265372599903526), FloatNear(0.1940189561072),
                  FloatNear(0.1391374970205139), FloatNear(0.1542593532499)));
  EXPECT_THAT(
      at(again().normal(0, 1, {32}), {0, 1, 16, 31}),
      ElementsAre(Near(0.8864975090043556), Near(-0.15660961822160735),
                  Near(0.4393560670449656), Near(-0.05810095493522933)));
  EXPECT_THAT(
      again().randint(0, 100, {12}),
      IsArray(xp::array({61, 98, 82, 72, 32, 31, 22, 35, 54, 26, 52, 32})));
  EXPECT_THAT(
      again().randint(0, 1000000000000000, {3}),
      IsArray(xp::array({612959881189415, 987718650914510, 825866827196049})));
  EXPECT_THAT(again().bernoulli(0.25, {8}),
              IsArray(xp::array(
                  {false, false, false, false, false, false, true, false})));
  EXPECT_THAT(again().permutation(8),
              IsArray(xp::array({0, 6, 7, 2, 1, 4, 5, 3})));
}

class RandomDtypeTest : public catena::testing::DeviceDtypeTest {};

TEST_P(RandomDtypeTest, UniformNumbersFillTheirInterval) {
  Generator generator(1, device());
  const Array x = generator.uniform(-2, 3, {100003}, dtype());
  EXPECT_EQ(x.dtype(), dtype());
  EXPECT_EQ(x.device(), device());
  const std::vector<double> values = numbers(x);
  EXPECT_GE(*std::min_element(values.begin(), values.end()), -2);
  EXPECT_LT(*std::max_element(values.begin(), values.end()), 3);
  // A 16-bit float moves a number by up to its spacing.
  const double coarse = item_size(dtype()) == 2 ? 0x1p-8 : 0;
  EXPECT_LT(kolmogorov_distance(values, [](double t) { return (t + 2) / 5; }),
            critical_distance(values.size()) + coarse);
  EXPECT_NEAR(moment(values, 0, 1), 0.5, 0.02);
  EXPECT_NEAR(moment(values, 0.5, 2), 25.0 / 12, 0.03);
}

TEST_P(RandomDtypeTest, UniformNumbersNeverReachTheEnd) {
  Generator generator(2, device());
  for (const double low : {0.0, 0.9375}) {
    const std::vector<double> values =
        numbers(generator.uniform(low, 1, {200000}, dtype()));
    EXPECT_LT(*std::max_element(values.begin(), values.end()), 1);
  }
  EXPECT_THAT(generator.uniform(1, 1, {3}, dtype()),
              IsArray(xp::ones({3}, dtype())));
}

TEST_P(RandomDtypeTest, NormalNumbersHaveTheNormalDistribution) {
  Generator generator(3, device());
  const std::vector<double> values =
      numbers(generator.normal(1, 2, {200001}, dtype()));
  const double coarse = item_size(dtype()) == 2 ? 0x1p-8 : 0;
  EXPECT_LT(kolmogorov_distance(
                values, [](double t) { return normal_cdf((t - 1) / 2); }),
            critical_distance(values.size()) + coarse);
  EXPECT_NEAR(moment(values, 0, 1), 1, 0.02);
  EXPECT_NEAR(moment(values, 1, 2), 4, 0.06);
  EXPECT_NEAR(moment(values, 1, 3) / 8, 0, 0.05);
  EXPECT_NEAR(moment(values, 1, 4) / 16, 3, 0.1);
}

TEST_P(RandomDtypeTest, ScaleZeroGivesTheMean) {
  Generator generator(3, device());
  EXPECT_THAT(generator.normal(2, 0, {5}, dtype()),
              IsArray(xp::full({5}, 2, dtype())));
}

TEST_P(RandomDtypeTest, BernoulliNumbersAreTheValueOrZero) {
  Generator generator(4, device());
  const std::vector<double> values =
      numbers(generator.bernoulli(0.25, {100000}, dtype(), 4));
  const auto kept = std::count(values.begin(), values.end(), 4);
  EXPECT_EQ(std::count(values.begin(), values.end(), 0) + kept, 100000);
  EXPECT_NEAR(static_cast<double>(kept), 25000, 4.5 * std::sqrt(18750.0));
}

INSTANTIATE_TEST_SUITE_P(All, RandomDtypeTest,
                         catena::testing::every_device_and_float_dtype(),
                         catena::testing::device_dtype_name);

TEST_P(RandomTest, NeighboursAreIndependent) {
  Generator generator(5, device());
  const std::vector<double> x =
      numbers(generator.normal(0, 1, {100000}, Dtype::kFloat32));
  for (const size_t lag : {1, 2, 3, 15, 16, 17, 32, 48, 64}) {
    double sum = 0;
    for (size_t i = lag; i < x.size(); ++i) sum += x[i] * x[i - lag];
    EXPECT_NEAR(sum / static_cast<double>(x.size()), 0, 0.015) << lag;
  }
}

TEST_P(RandomTest, BernoulliIsBoolByDefaultAndKeepsItsEnds) {
  Generator generator(6, device());
  EXPECT_EQ(generator.bernoulli(0.5, {3}).dtype(), Dtype::kBool);
  EXPECT_THAT(generator.bernoulli(0, {1000}),
              IsArray(xp::zeros({1000}, Dtype::kBool)));
  EXPECT_THAT(generator.bernoulli(1, {1000}),
              IsArray(xp::ones({1000}, Dtype::kBool)));
  EXPECT_THAT(generator.bernoulli(1, {10}, Dtype::kFloat32, 2.5),
              IsArray(xp::full({10}, 2.5, Dtype::kFloat32)));
}

TEST_P(RandomTest, IntegersAreEvenlySpread) {
  Generator generator(7, device());
  const std::vector<double> values =
      numbers(generator.randint(-3, 7, {100000}, Dtype::kInt8));
  std::vector<int> counts(10);
  for (const double value : values) ++counts.at(static_cast<int>(value) + 3);
  double chi_square = 0;
  for (const int count : counts) {
    chi_square += (count - 10000.0) * (count - 10000.0) / 10000;
  }
  EXPECT_LT(chi_square, 38);  // 9 degrees of freedom: one in 50,000
}

TEST_P(RandomTest, IntegersOfAnyRangeStayWithin) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  Generator generator(8, device());
  for (const auto& [low, high] :
       std::vector<std::pair<int64_t, int64_t>>{{5, 6},
                                                {0, int64_t{1} << 32},
                                                {-10, (int64_t{1} << 32) + 5},
                                                {kMin, kMax},
                                                {kMin, kMin + 1},
                                                {kMax - 1, kMax}}) {
    const Array x =
        generator.randint(low, high, {10000}).to_device(native_device());
    const int64_t* values = x.data<int64_t>();
    const auto [min, max] = std::minmax_element(values, values + 10000);
    EXPECT_GE(*min, low);
    EXPECT_LT(*max, high);
    // Both ends come near.
    const double range = static_cast<double>(high) - static_cast<double>(low);
    EXPECT_LE(static_cast<double>(*max) - static_cast<double>(*min), range);
    if (range > 1) {
      EXPECT_GT(static_cast<double>(*max) - static_cast<double>(*min),
                0.99 * range);
    }
  }
}

TEST_P(RandomTest, APermutationHasEachNumberOnce) {
  Generator generator(9, device());
  for (const int64_t n : {0, 1, 2, 10, 10007}) {
    const Array order = generator.permutation(n);
    EXPECT_EQ(order.dtype(), Dtype::kInt64);
    EXPECT_EQ(order.device(), device());
    std::vector<double> sorted = numbers(order);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, numbers(xp::arange(n)));
  }
}

TEST_P(RandomTest, EveryPermutationIsAsLikely) {
  Generator generator(10, device());
  std::vector<int> counts(24);
  constexpr int kDraws = 24000;
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<double> p = numbers(generator.permutation(4));
    int rank = 0;  // the number of the permutation in lexical order
    for (int a = 0; a < 4; ++a) {
      int smaller = 0;
      for (int b = a + 1; b < 4; ++b) smaller += p[b] < p[a];
      rank = rank * (4 - a) + smaller;
    }
    ++counts.at(rank);
  }
  double chi_square = 0;
  for (const int count : counts) {
    chi_square += (count - 1000.0) * (count - 1000.0) / 1000;
  }
  EXPECT_LT(chi_square, 62);  // 23 degrees of freedom: one in 50,000
}

TEST_P(RandomTest, LeftOutArgumentsAreNumpys) {
  Generator generator(3, device());
  const auto again = [&]() -> Generator& {
    generator.seed(3);
    return generator;
  };
  EXPECT_THAT(again().uniform(), IsArray(again().uniform(0, 1, {})));
  EXPECT_THAT(again().normal(), IsArray(again().normal(0, 1, {})));
  EXPECT_THAT(again().normal(5), IsArray(again().normal(5, 1, {})));
  EXPECT_THAT(again().lognormal(), IsArray(again().lognormal(0, 1, {})));
  EXPECT_THAT(again().rand(), IsArray(again().rand(Shape())));
  EXPECT_THAT(again().randn(), IsArray(again().randn(Shape())));
  EXPECT_THAT(again().randint(1000), IsArray(again().randint(0, 1000, {})));
  EXPECT_THAT(again().randint(5, 1000), IsArray(again().randint(5, 1000, {})));
  EXPECT_THAT(again().randint(1000, std::nullopt, {50}),
              IsArray(again().randint(0, 1000, {50})));
  EXPECT_THAT(again().random_integers(6, std::nullopt, {50}),
              IsArray(again().random_integers(1, 6, {50})));
  EXPECT_THROW(again().randint(0), ValueError);
  EXPECT_THROW(again().random_integers(0), ValueError);

  const DeviceScope scope(device());
  random::seed(3);
  const Array drawn = random::uniform();
  EXPECT_EQ(drawn.ndim(), 0);
  EXPECT_THAT(drawn, IsArray(again().uniform()));
}

TEST_P(RandomTest, NoSeedIsAnother) {
  Generator generator(3, device());
  generator.seed();
  const uint64_t first = generator.state().seed;
  generator.seed(std::nullopt);
  EXPECT_NE(generator.state().seed, first);
  EXPECT_EQ(generator.state().position, 0u);
  const DeviceScope scope(device());
  random::seed();
  EXPECT_NE(random::generator().state().seed, first);
}

TEST_P(RandomTest, NumpysNamesAreTheSameStreams) {
  Generator generator(3, device());
  const auto again = [&]() -> Generator& {
    generator.seed(3);
    return generator;
  };
  const Array uniform = again().uniform(0, 1, {3, 5});
  EXPECT_THAT(again().random_sample({3, 5}), IsArray(uniform));
  EXPECT_THAT(again().rand({3, 5}), IsArray(uniform));
  const Array normal = again().normal(0, 1, {7}, Dtype::kFloat32);
  EXPECT_THAT(again().standard_normal({7}, Dtype::kFloat32), IsArray(normal));
  EXPECT_THAT(again().randn({7}, Dtype::kFloat32), IsArray(normal));
  EXPECT_THAT(again().random_integers(-2, 2, {50}),
              IsArray(again().randint(-2, 3, {50})));
  EXPECT_THAT(again().interval(9, {50}),
              IsArray(again().randint(0, 10, {50}, Dtype::kInt32)));
  EXPECT_EQ(again().rand({}).shape(), Shape());

  const DeviceScope scope(device());
  const auto seeded = [](auto draw) {
    random::seed(3);
    return draw();
  };
  EXPECT_THAT(seeded([] {
                return random::random_sample({3, 5});
              }),
              IsArray(uniform));
  EXPECT_THAT(seeded([] { return random::rand({3, 5}); }), IsArray(uniform));
  EXPECT_THAT(seeded([] { return random::random({3, 5}); }), IsArray(uniform));
  EXPECT_THAT(seeded([] { return random::ranf({3, 5}); }), IsArray(uniform));
  EXPECT_THAT(seeded([] { return random::sample({3, 5}); }), IsArray(uniform));
  EXPECT_THAT(
      seeded([] { return random::standard_normal({7}, Dtype::kFloat32); }),
      IsArray(normal));
  EXPECT_THAT(seeded([] { return random::randn({7}, Dtype::kFloat32); }),
              IsArray(normal));
  EXPECT_THAT(seeded([] { return random::random_integers(-2, 2, {50}); }),
              IsArray(again().randint(-2, 3, {50})));
}

TEST_P(RandomTest, LogarithmsOfLognormalNumbersAreNormal) {
  Generator generator(4, device());
  std::vector<double> sample = numbers(generator.lognormal(0.5, 2, {20000}));
  for (double& x : sample) {
    ASSERT_GT(x, 0);
    x = (std::log(x) - 0.5) / 2;
  }
  EXPECT_LT(kolmogorov_distance(sample, normal_cdf),
            critical_distance(sample.size()));
  const DeviceScope scope(device());
  random::seed(4);
  const Array global = random::lognormal(0.5, 2, {20000});
  generator.seed(4);
  EXPECT_THAT(generator.lognormal(0.5, 2, {20000}), IsArray(global));
}

TEST_P(RandomTest, NumpysNamesRefuseWhatNumpyRefuses) {
  Generator generator(5, device());
  EXPECT_THAT(
      error_of<DtypeError>([&] { generator.rand({2}, Dtype::kFloat16); }),
      HasSubstr("rand: expected float32 or float64, got float16"));
  EXPECT_THAT(
      error_of<DtypeError>([&] { generator.randn({2}, Dtype::kInt32); }),
      HasSubstr("randn: expected float32"));
  EXPECT_THAT(error_of<ValueError>([&] { generator.interval(-1, {2}); }),
              HasSubstr("interval: expected mx in [0, 2^31), got -1"));
  EXPECT_THAT(
      error_of<ValueError>([&] { generator.random_integers(3, 2, {2}); }),
      HasSubstr("random_integers: expected "
                "low <= high"));
}

TEST_P(RandomTest, ASeedStartsTheStreamAgain) {
  Generator generator(11, device());
  const Array first = generator.uniform(0, 1, {100});
  const Array second = generator.uniform(0, 1, {100});
  generator.seed(11);
  EXPECT_THAT(generator.uniform(0, 1, {100}), IsArray(first));
  EXPECT_THAT(generator.uniform(0, 1, {100}), IsArray(second));
  generator.seed(12);
  EXPECT_NE(numbers(generator.uniform(0, 1, {100})), numbers(first));
  EXPECT_NE(numbers(first), numbers(second));
}

TEST_P(RandomTest, AStateContinuesTheStream) {
  Generator generator(13, device());
  generator.normal(0, 1, {77});
  const random::GeneratorState state = generator.state();
  const Array next = generator.normal(0, 1, {77});
  Generator other(99, device());
  other.set_state(state);
  EXPECT_EQ(other.state(), state);
  EXPECT_THAT(other.normal(0, 1, {77}), IsArray(next));
  EXPECT_EQ(other.state(), generator.state());
}

TEST_P(RandomTest, RestartsAreCounted) {
  xp::random::Generator generator(1, device());
  const int64_t before = generator.restarts();
  generator.uniform(0, 1, {5});
  EXPECT_EQ(generator.restarts(), before);
  const auto state = generator.state();
  generator.set_state(state);
  EXPECT_EQ(generator.restarts(), before + 1);
  generator.seed(1);
  EXPECT_EQ(generator.restarts(), before + 2);
  EXPECT_THROW(generator.set_state({.seed = 1, .position = 17}), ValueError);
  EXPECT_EQ(generator.restarts(), before + 2);
}

TEST_P(RandomTest, AStateThatNoGeneratorHasIsRefused) {
  Generator generator(13, device());
  EXPECT_THAT(error_of<ValueError>(
                  [&] { generator.set_state({.seed = 1, .position = 17}); }),
              "Generator::set_state: expected a position that is a "
              "multiple of 16, got 17");
  EXPECT_EQ(generator.state().seed, 13u);
}

TEST_P(RandomTest, DrawsOfAnySizeAreBeginningsOfOneStream) {
  Generator generator(14, device());
  const Array whole = generator.uniform(0, 1, {1000}, Dtype::kFloat32);
  for (const int64_t size : {1, 15, 16, 17, 63, 64, 65, 999}) {
    generator.seed(14);
    EXPECT_THAT(generator.uniform(0, 1, {size}, Dtype::kFloat32),
                IsArray(whole[{Slice(0, size)}]));
  }
  EXPECT_EQ(generator.uniform(0, 1, {0, 3}).shape(), Shape({0, 3}));
}

TEST_P(RandomTest, CountersMayCrossThirtyTwoBits) {
  Generator generator(15, device());
  generator.set_state({.seed = 15, .position = 0xffffffe0});
  const Array across = generator.uniform(0, 1, {300}, Dtype::kFloat32);
  generator.set_state({.seed = 15, .position = 0x100000000});
  EXPECT_THAT((across[{Slice(128, 300)}]),
              IsArray(generator.uniform(0, 1, {172}, Dtype::kFloat32)));
}

TEST_P(RandomTest, BadArgumentsAreRefusedAndTheStreamStays) {
  Generator generator(16, device());
  const random::GeneratorState before = generator.state();
  EXPECT_THAT(error_of<ValueError>([&] { generator.uniform(1, 0, {2}); }),
              "uniform: expected low <= high, both and their difference "
              "finite in float64, got 1 and 0");
  EXPECT_THROW(generator.uniform(-1e308, 1e308, {2}), ValueError);
  EXPECT_THROW(generator.uniform(0, 70000, {2}, Dtype::kFloat16), ValueError);
  EXPECT_THROW(generator.uniform(std::nan(""), 1, {2}), ValueError);
  EXPECT_THAT(error_of<DtypeError>(
                  [&] { generator.uniform(0, 1, {2}, Dtype::kInt32); }),
              "uniform: not offered for dtype int32");
  EXPECT_THROW(generator.normal(0, -1, {2}), ValueError);
  EXPECT_THROW(generator.normal(HUGE_VAL, 1, {2}), ValueError);
  EXPECT_THROW(generator.normal(0, 1, {-2}), ShapeError);
  EXPECT_THAT(error_of<ValueError>([&] { generator.randint(3, 3, {2}); }),
              "randint: expected low < high, got 3 and 3");
  EXPECT_THROW(generator.randint(0, 257, {2}, Dtype::kUInt8), DtypeError);
  EXPECT_THROW(generator.randint(-1, 2, {2}, Dtype::kUInt64), DtypeError);
  EXPECT_THROW(generator.randint(0, 2, {2}, Dtype::kFloat32), DtypeError);
  EXPECT_THAT(error_of<ValueError>([&] { generator.bernoulli(1.5, {2}); }),
              "bernoulli: expected a probability in [0, 1], got 1.5");
  EXPECT_THROW(generator.bernoulli(std::nan(""), {2}), ValueError);
  EXPECT_THROW(generator.bernoulli(0.5, {2}, Dtype::kFloat16, 1e6), ValueError);
  EXPECT_THROW(generator.bernoulli(0.5, {2}, Dtype::kInt8), DtypeError);
  EXPECT_THROW(generator.permutation(-1), ValueError);
  EXPECT_EQ(generator.state(), before);
}

INSTANTIATE_TEST_SUITE_P(All, RandomTest, catena::testing::every_device(),
                         catena::testing::device_name);

// Every dtype of every distribution, in one list.
std::vector<Array> one_of_each(uint64_t seed) {
  Generator generator(seed, native_device());
  std::vector<Array> arrays;
  for (const Dtype dtype : catena::testing::float_dtypes()) {
    arrays.push_back(generator.uniform(-1, 3, {100001}, dtype));
    arrays.push_back(generator.normal(1, 2, {100001}, dtype));
    arrays.push_back(generator.bernoulli(0.3, {100001}, dtype, 1.5));
  }
  arrays.push_back(generator.bernoulli(0.3, {100001}));
  arrays.push_back(generator.randint(0, 100, {100001}, Dtype::kUInt8));
  arrays.push_back(generator.randint(-5, int64_t{1} << 40, {100001}));
  arrays.push_back(generator.permutation(1001));
  return arrays;
}

TEST(RandomStreamTest, IsTheSameForAnyNumberOfThreads) {
  const int before = get_num_threads();
  set_num_threads(1);
  const std::vector<Array> one = one_of_each(20);
  set_num_threads(5);
  const std::vector<Array> many = one_of_each(20);
  set_num_threads(before);
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_THAT(many[i], IsArray(one[i])) << i;
  }
}

TEST(RandomStreamTest, IsTheSameForEveryInstructionSet) {
  const KernelTarget before = cpu_kernel_target();
  set_cpu_kernel_target(KernelTarget::kCpuBaseline);
  const std::vector<Array> baseline = one_of_each(21);
  for (const KernelTarget target : cpu_kernel_targets()) {
    try {
      set_cpu_kernel_target(target);
    } catch (const ValueError&) {
      continue;  // an older machine
    }
    const std::vector<Array> other = one_of_each(21);
    for (size_t i = 0; i < baseline.size(); ++i) {
      EXPECT_THAT(other[i], IsArray(baseline[i]))
          << i << " " << kernel_target_name(target);
    }
  }
  set_cpu_kernel_target(before);
}

TEST(RandomStreamTest, ThreadsThatShareAGeneratorGetPartsOfTheirOwn) {
  Generator generator(22, native_device());
  std::vector<Array> parts(8);
  std::vector<std::thread> threads;
  for (Array& part : parts) {
    threads.emplace_back([&part, &generator] {
      for (int i = 0; i < 50; ++i) generator.uniform(0, 1, {10});
      part = generator.uniform(0, 1, {2});
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<double> firsts;
  for (const Array& part : parts) firsts.insert(numbers(part)[0]);
  EXPECT_EQ(firsts.size(), parts.size());
  EXPECT_EQ(generator.state().position, 8 * 51 * 16u);
}

TEST(GlobalGeneratorTest, EachDeviceHasItsOwn) {
  random::seed(1, native_device(0));
  random::seed(1, native_device(1));
  const Array here = random::uniform(0, 1, {4});
  const DeviceScope scope(native_device(1));
  const Array there = random::uniform(0, 1, {4});
  EXPECT_EQ(there.device(), native_device(1));
  EXPECT_THAT(there, IsArray(here));
  EXPECT_EQ(&random::generator(), &random::generator(native_device(1)));
  EXPECT_NE(&random::generator(), &random::generator(native_device(0)));
}

TEST(GlobalGeneratorTest, FunctionsDrawFromTheCurrentDevicesGenerator) {
  random::seed(2);
  Generator generator(2, native_device());
  EXPECT_THAT(random::uniform(0, 2, {3}, Dtype::kFloat32),
              IsArray(generator.uniform(0, 2, {3}, Dtype::kFloat32)));
  EXPECT_THAT(random::normal(0, 2, {3}, Dtype::kFloat32),
              IsArray(generator.normal(0, 2, {3}, Dtype::kFloat32)));
  EXPECT_THAT(random::randint(0, 9, {3}),
              IsArray(generator.randint(0, 9, {3})));
  EXPECT_THAT(random::bernoulli(0.5, {9}),
              IsArray(generator.bernoulli(0.5, {9})));
  EXPECT_THAT(random::permutation(9), IsArray(generator.permutation(9)));
}

TEST(GlobalGeneratorTest, ADeviceThatDoesNotExistIsRefused) {
  EXPECT_THROW(random::generator(native_device(64)), DeviceError);
  EXPECT_THROW(random::seed(1, cuda_device(63)), DeviceError);
}

TEST(UnseededGeneratorTest, StartsFromTheEnvironment) {
  ASSERT_EQ(setenv("CHAINER_SEED", "7", 1), 0);
  Generator generator(native_device());
  EXPECT_EQ(generator.state().seed, 7u);
  for (const char* bad : {"", "x", "-1", "7 ", "99999999999999999999999"}) {
    ASSERT_EQ(setenv("CHAINER_SEED", bad, 1), 0);
    Generator other(native_device());
    EXPECT_THAT(error_of<ValueError>([&] { other.state(); }),
                "random: expected the environment variable CHAINER_SEED to "
                "be an integer of at least 0, got '" +
                    std::string(bad) + "'");
  }
  unsetenv("CHAINER_SEED");
}

TEST(UnseededGeneratorTest, StartsFromEntropyOtherwise) {
  unsetenv("CHAINER_SEED");
  Generator a(native_device());
  Generator b(native_device());
  EXPECT_NE(a.state().seed, b.state().seed);
}

}  // namespace
}  // namespace catena
