// Rows of arrays so large that results bypass the caches: they equal those of
// a few rows at a time.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/activation/log_softmax.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/loss/hinge.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/normalization/layer_normalization.h"
#include "catena/tests/support/cpu_target_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class LargeRowsTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(LargeRows, LargeRowsTest, testing::every_device(),
                         testing::device_name);

// A function of x and a label of each row.
using RowFunction = std::function<Variable(const Variable&, const Array&)>;

struct Results {
  Array y;
  Array gx;
};

Results both_ways(const RowFunction& f, const Array& x, const Array& gy,
                  const Array& t) {
  const Variable input(x);
  const Variable y = f(input, t);
  y.set_grad(gy);
  y.backward();
  return {y.data(), input.grad()};
}

// Compares rows from the start, the middle and the end. `is_loss`: the function
// returns a number for each row.
void expect_rows_of(const RowFunction& f, int64_t columns, Dtype dtype,
                    bool is_loss = false) {
  // GPUs have no such stores, and emulated ones take minutes for so much.
  const int64_t bytes = current_device().is_native() ? 12 << 20 : 64 << 10;
  const int64_t rows =
      std::max<int64_t>(16, bytes / (columns * item_size(dtype)));
  const Shape shape{rows, columns};
  const Array x = testing::uniform(shape, -4, 4).astype(dtype);
  const Array gy =
      testing::uniform(is_loss ? Shape{rows} : shape, -1, 1).astype(dtype);
  const Array t =
      array::remainder(array::arange(rows) * 7, columns).astype(Dtype::kInt32);
  const Results all = both_ways(f, x, gy, t);
  for (const int64_t begin : {int64_t{0}, rows / 2 - 3, rows - 5}) {
    const Slice part(begin, begin + 5);
    const Results some =
        both_ways(f, x[{part}].copy(), gy[{part}].copy(), t[{part}].copy());
    EXPECT_THAT(all.y[{part}], testing::IsArray(some.y));
    EXPECT_THAT(all.gx[{part}], testing::IsArray(some.gx));
  }
}

// Odd lengths, so that rows begin anywhere in a cache line.
constexpr int64_t kLengths[] = {3, 37, 1000, 1001, 32003};

TEST_P(LargeRowsTest, Softmax) {
  for (const Dtype dtype :
       {Dtype::kFloat32, Dtype::kFloat64, Dtype::kFloat16}) {
    for (const int64_t length : kLengths) {
      expect_rows_of([](const Variable& x, const Array&) { return softmax(x); },
                     length, dtype);
    }
  }
}

TEST_P(LargeRowsTest, LogSoftmax) {
  for (const int64_t length : kLengths) {
    expect_rows_of(
        [](const Variable& x, const Array&) { return log_softmax(x); }, length,
        Dtype::kFloat32);
  }
}

TEST_P(LargeRowsTest, LossesThatCorrectTheirGradients) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBFloat16}) {
    for (const int64_t length : kLengths) {
      expect_rows_of(
          [](const Variable& x, const Array& t) {
            return softmax_cross_entropy(x, t, {.reduce = "no"});
          },
          length, dtype, /*is_loss=*/true);
      expect_rows_of(
          [](const Variable& x, const Array& t) {
            return hinge(x, t, {.reduce = "no"});
          },
          length, dtype);
    }
  }
}

TEST_P(LargeRowsTest, LayerNormalization) {
  for (const int64_t length : kLengths) {
    const Variable gamma(
        testing::uniform({length}, 1, 2).astype(Dtype::kFloat32),
        {.requires_grad = false});
    const Variable beta(
        testing::uniform({length}, -1, 1).astype(Dtype::kFloat32),
        {.requires_grad = false});
    expect_rows_of(
        [&](const Variable& x, const Array&) {
          return layer_normalization(x, gamma, beta);
        },
        length, Dtype::kFloat32);
  }
}

Array row_sum(const Array& a) {
  return array::sum(a, {.axis = 1, .keepdims = true});
}

// Rows that the CPU processes in parts, whose maxima and means differ.
Array long_rows() {
  constexpr int64_t kLength = 20011;
  const Array rising = array::arange(kLength) * 0x1p-8;
  Array masked = testing::uniform({kLength});
  masked[{Slice(0, 12000)}].fill(-std::numeric_limits<double>::infinity());
  return array::stack({rising, -rising, testing::uniform({kLength}) + 500.0,
                       array::sin(rising), masked})
      .astype(Dtype::kFloat32);
}

TEST_P(LargeRowsTest, LongRowsAreAsDefined) {
  const Variable x(long_rows());
  const Array exact = x.data().astype(Dtype::kFloat64);
  const Array shifted =
      exact - array::max(exact, {.axis = 1, .keepdims = true});
  const Array log_p = shifted - array::log(row_sum(array::exp(shifted)));
  const Array p = array::exp(log_p);
  const auto close = [](const Array& a) {
    return testing::IsClose(a.astype(Dtype::kFloat32),
                            {.rtol = 1e-5, .atol = 1e-6});
  };
  EXPECT_THAT(softmax(x).data(), close(p));
  EXPECT_THAT(log_softmax(x).data(), close(log_p));

  const Array t = array::full({x.shape()[0]}, 15000, Dtype::kInt32);
  const Variable loss = softmax_cross_entropy(x, t, {.reduce = "no"});
  EXPECT_THAT(loss.data(),
              close(-log_p[{Slice(), Slice(15000, 15001)}].reshape({-1})));
}

// Long rows, and so many that sums over them are made of parts.
TEST_P(LargeRowsTest, RowsAreNormalizedAsDefined) {
  for (const Array& rows :
       {long_rows()[{Slice(0, 4)}].copy(),
        testing::uniform({100, 37}, 1, 3, Dtype::kFloat32)}) {
    const Variable x(rows);
    const int64_t length = x.shape()[1];
    const Variable gamma(testing::uniform({length}, 1, 2, Dtype::kFloat32));
    const Variable beta(testing::uniform({length}, -1, 1, Dtype::kFloat32));
    const Variable y = layer_normalization(x, gamma, beta);
    const Array exact = x.data().astype(Dtype::kFloat64);
    const auto mean = [&](const Array& a) {
      return row_sum(a) / static_cast<double>(length);
    };
    const Array deviation = exact - mean(exact);
    const Array std = array::sqrt(mean(deviation * deviation) + 1e-5);
    const Array x_hat = deviation / std;
    // Float32 has four digits of deviations so far from zero.
    const auto close = [](const Array& a) {
      return testing::IsClose(a.astype(Dtype::kFloat32),
                              {.rtol = 1e-4, .atol = 1e-4});
    };
    EXPECT_THAT(y.data(), close(x_hat * gamma.data() + beta.data()));

    const Array gy = testing::uniform(x.shape(), -1, 1, Dtype::kFloat32);
    y.set_grad(gy);
    y.backward();
    const Array exact_gy = gy.astype(Dtype::kFloat64);
    const Array g = exact_gy * gamma.data();
    EXPECT_THAT(x.grad(), close((g - mean(g) - x_hat * mean(g * x_hat)) / std));
    EXPECT_THAT(gamma.grad(), close(array::sum(exact_gy * x_hat, {.axis = 0})));
    EXPECT_THAT(beta.grad(), close(array::sum(exact_gy, {.axis = 0})));
  }
}

TEST(LargeRowsThreadsTest, AnyNumberOfThreadsGivesTheSameBits) {
  const Array x = testing::uniform({777, 129}, -1, 1, Dtype::kFloat32);
  const Array gy = testing::uniform({777, 129}, -1, 1, Dtype::kFloat32);
  const Variable gamma(testing::uniform({129}, 1, 2, Dtype::kFloat32));
  const Variable beta(testing::uniform({129}, -1, 1, Dtype::kFloat32));
  const int before = get_num_threads();
  std::vector<Array> gradients;
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    gamma.cleargrad();
    beta.cleargrad();
    const Variable input(x);
    const Variable y = layer_normalization(input, gamma, beta);
    y.set_grad(gy);
    y.backward();
    const Array found = array::concatenate(
        {input.grad(), gamma.grad().expand_dims(0), beta.grad().expand_dims(0)},
        0);
    gradients.push_back(found);
    EXPECT_THAT(found, testing::IsArray(gradients[0]));
  }
  set_num_threads(before);
}

// Large numbers cancel before anything is rounded.
void expect_accurate_exponentials() {
  for (const double start : {0.0, 1000.0, -30000.0}) {
    // Exact in float32.
    const Array wide = array::arange(-200, 1) * 0.5 + start;
    const Array x = wide.reshape({1, -1});
    const Variable narrow(x.astype(Dtype::kFloat32));
    const Variable exact(x.astype(Dtype::kFloat64));
    EXPECT_THAT(
        softmax(narrow).data().astype(Dtype::kFloat64),
        testing::IsClose(softmax(exact).data(), {.rtol = 1e-5, .atol = 1e-44}));
    EXPECT_THAT(log_softmax(narrow).data().astype(Dtype::kFloat64),
                testing::IsClose(log_softmax(exact).data(),
                                 {.rtol = 3e-7, .atol = 1e-7}));
  }
}

TEST_P(LargeRowsTest, ExponentialsOfFloatsAreAccurate) {
  expect_accurate_exponentials();
}

class RowTargetTest : public testing::CpuTargetTest {};
INSTANTIATE_TEST_SUITE_P(All, RowTargetTest, testing::every_cpu_target(),
                         testing::cpu_target_name);

TEST_P(RowTargetTest, ExponentialsOfFloatsAreAccurate) {
  expect_accurate_exponentials();
}

// Rows of every length up to several registers: one far from zero, one whose
// first element is far from all others, and one of equal elements.
void expect_accurate_moments() {
  for (int64_t length = 1; length < 150; ++length) {
    const Array x = testing::uniform({3, length}, -1, 1, Dtype::kFloat32);
    x[0] += 1000;
    x[{1, 0}].fill(3000);
    x[2].fill(0.1);
    const Array exact = x.astype(Dtype::kFloat64);
    const array::ReduceOptions rows{.axis = 1, .keepdims = true};
    const Array deviation = exact - array::mean(exact, rows);
    const Array std =
        array::sqrt(array::mean(deviation * deviation, rows) + 1e-5);
    const Array one = array::ones({length}, Dtype::kFloat32);
    EXPECT_THAT(layer_normalization(Variable(x), Variable(one),
                                    Variable(array::zeros_like(one)))
                    .data()
                    .astype(Dtype::kFloat64),
                // As the mean, near 1000, is rounded.
                testing::IsClose(deviation / std, {.rtol = 1e-4, .atol = 3e-4}))
        << length;
  }
}

TEST_P(LargeRowsTest, MomentsAreAccurate) { expect_accurate_moments(); }
TEST_P(RowTargetTest, MomentsAreAccurate) { expect_accurate_moments(); }

TEST_P(LargeRowsTest, SpecialNumbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  // A row with a masked element, one with NaN, and one that is all masked.
  const Variable x(array::array({{1.0f, -kInfinity, 1.0f},
                                 {1.0f, kNan, 2.0f},
                                 {-kInfinity, -kInfinity, -kInfinity}}));
  const Array expected = array::array(
      {{0.5f, 0.0f, 0.5f}, {kNan, kNan, kNan}, {kNan, kNan, kNan}});
  EXPECT_THAT(softmax(x).data(), testing::IsClose(expected));
  EXPECT_THAT(log_softmax(x).data(), testing::IsClose(array::log(expected)));
  // The same in rows that the CPU processes in parts.
  constexpr int64_t kLength = 30000;
  const Array wide = array::full({3, kLength}, -kInfinity, Dtype::kFloat32);
  const Slice last(kLength - 3, kLength);
  wide[{Slice(), last}].assign(x.data());
  EXPECT_THAT((softmax(Variable(wide)).data()[{Slice(), last}]),
              testing::IsClose(expected));
  EXPECT_THAT((log_softmax(Variable(wide)).data()[{Slice(), last}]),
              testing::IsClose(array::log(expected)));
}

}  // namespace
}  // namespace catena::functions
