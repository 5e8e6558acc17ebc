// Functions of rows on lengths around every boundary of their kernels: what a
// warp, a block and registers hold. They equal the same in float64 on the CPU.

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "catena/array/core/device.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/activation/log_softmax.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/loss/hinge.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/logsumexp.h"
#include "catena/functions/normalization/layer_normalization.h"
#include "catena/functions/normalization/normalize.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

constexpr int64_t kLengths[] = {1,    2,     3,     31,    32,    33,   64,
                                255,  256,   257,   512,   513,   1000, 1023,
                                1024, 1025,  4095,  4096,  4097,  8191, 8192,
                                8193, 12000, 16383, 16384, 16385, 32000};

class RowLengthsTest : public testing::DeviceDtypeTest {};
INSTANTIATE_TEST_SUITE_P(RowLengths, RowLengthsTest,
                         testing::every_device_and_float_dtype(),
                         testing::device_dtype_name);

// A function of variables and a label of each row.
using RowFunction =
    std::function<Variable(const std::vector<Variable>&, const Array&)>;

// The result and the gradients of the inputs.
std::vector<Array> both_ways(const RowFunction& f,
                             const std::vector<Array>& inputs, const Array& t,
                             double gradient_range) {
  std::vector<Variable> variables;
  for (const Array& input : inputs) variables.emplace_back(input);
  const Variable y = f(variables, t);
  const Array gy =
      testing::uniform(y.shape(), gradient_range / 2, gradient_range);
  y.set_grad(gy.astype(Dtype::kBFloat16).astype(y.dtype()));
  y.backward();
  std::vector<Array> results = {y.data()};
  for (const Variable& variable : variables) results.push_back(variable.grad());
  return results;
}

// A copy that begins in the middle of 16 bytes.
Array unaligned(const Array& a) {
  const Array memory = array::empty({a.size() + 1}, a.dtype(), a.device());
  Array view = memory[{Slice(1, a.size() + 1)}].reshape(a.shape());
  view.assign(a);
  return view;
}

// How much the rounding of a stored result may change it.
double rounding(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16:
      return 4e-3;
    case Dtype::kBFloat16:
      return 3e-2;
    case Dtype::kFloat32:
      return 2e-5;
    default:
      return 1e-12;
  }
}

// Compares with float64 on the CPU: f of x of the shape and of `parameters`
// arrays with a number for each column.
void expect_as_on_cpu(const RowFunction& f, const Shape& shape, Dtype dtype,
                      int parameters = 0) {
  const Device device = current_device();
  std::vector<Array> inputs;
  std::vector<Array> exact;
  Array t;
  std::vector<Array> expected;
  {
    const DeviceScope host(native_device());
    for (int k = 0; k <= parameters; ++k) {
      const Array wide = k == 0 ? testing::uniform(shape, -4, 4)
                                : testing::uniform({shape[1]}, 0.5, 1.5);
      inputs.push_back(wide.astype(dtype));
      exact.push_back(inputs.back().astype(Dtype::kFloat64));
    }
    t = array::remainder(array::arange(shape[0]) * 7, shape[1])
            .astype(Dtype::kInt32);
    t[shape[0] / 2].fill(-1);
    expected = both_ways(f, exact, t, /*gradient_range=*/1);
  }
  for (const bool is_aligned : {true, false}) {
    std::vector<Array> there;
    for (const Array& input : inputs) {
      const Array copy = input.to_device(device);
      there.push_back(is_aligned ? copy : unaligned(copy));
    }
    const std::vector<Array> results =
        both_ways(f, there, t.to_device(device), /*gradient_range=*/1);
    for (size_t k = 0; k < results.size(); ++k) {
      const double relative = rounding(dtype);
      // Differences of terms of this size.
      const double largest =
          std::max(array::max(array::absolute(expected[k])).item<double>(),
                   1.0 / static_cast<double>(shape[1]));
      EXPECT_THAT(results[k].to_device(native_device()).astype(Dtype::kFloat64),
                  testing::IsClose(expected[k], {.rtol = relative,
                                                 .atol = relative * largest}))
          << "result " << k << " of rows " << shape << ", "
          << (is_aligned ? "aligned" : "unaligned");
    }
  }
}

// There are enough short rows of each length for several blocks.
void expect_each_length(const RowFunction& f, Dtype dtype, int parameters = 0) {
  for (const int64_t length : kLengths) {
    const int64_t rows = std::clamp<int64_t>(3000 / length, 3, 300);
    expect_as_on_cpu(f, {rows, length}, dtype, parameters);
  }
}

TEST_P(RowLengthsTest, Softmax) {
  expect_each_length(
      [](const auto& in, const Array&) { return softmax(in[0]); }, dtype());
}

TEST_P(RowLengthsTest, LogSoftmax) {
  expect_each_length(
      [](const auto& in, const Array&) { return log_softmax(in[0]); }, dtype());
}

// One of the rows is left out, which returns early.
TEST_P(RowLengthsTest, CrossEntropy) {
  expect_each_length(
      [](const auto& in, const Array& t) {
        return softmax_cross_entropy(in[0], t, {.reduce = "no"});
      },
      dtype());
  expect_each_length(
      [](const auto& in, const Array& t) {
        return softmax_cross_entropy(in[0], t,
                                     {.reduce = "no", .label_smoothing = 0.25});
      },
      dtype());
}

TEST_P(RowLengthsTest, Hinge) {
  for (const char* const reduce : {"mean", "no"}) {
    expect_each_length(
        [&](const auto& in, const Array& t) {
          return hinge(in[0], array::maximum(t, 0), {.reduce = reduce});
        },
        dtype());
  }
}

TEST_P(RowLengthsTest, LayerNormalization) {
  const RowFunction f = [](const auto& in, const Array&) {
    return layer_normalization(in[0], in[1], in[2], {.eps = 1e-2});
  };
  expect_each_length(f, dtype(), /*parameters=*/2);
  // Sums of columns that are made of parts.
  expect_as_on_cpu(f, {1000, 24}, dtype(), 2);
  expect_as_on_cpu(f, {150, 130}, dtype(), 2);
}

TEST_P(RowLengthsTest, NormalizeAndLogSumExp) {
  expect_each_length(
      [](const auto& in, const Array&) { return normalize(in[0]); }, dtype());
  expect_each_length([](const auto& in,
                        const Array&) { return logsumexp(in[0], {.axis = 1}); },
                     dtype());
}

// Rows that are masked, all or but for their last elements, or have NaN or an
// infinity in the middle.
TEST_P(RowLengthsTest, SpecialNumbers) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const int64_t length : {4, 33, 1000, 4097, 9000, 20000}) {
    const Array x = testing::uniform({5, length}).astype(dtype());
    x[0].fill(-kInfinity);
    x[{1, Slice(0, length - 3)}].fill(-kInfinity);
    x[{2, length / 2}].fill(kNan);
    x[{3, length / 2}].fill(kInfinity);
    const Array y = softmax(Variable(x)).data().astype(Dtype::kFloat64);
    const Array log_y = log_softmax(Variable(x)).data().astype(Dtype::kFloat64);
    const Array nan = array::full({length}, kNan);
    for (const int row : {0, 2, 3}) {
      EXPECT_THAT(y[row], testing::IsArray(nan)) << length << ", row " << row;
    }
    EXPECT_THAT(log_y[0], testing::IsArray(nan)) << length;
    EXPECT_THAT(log_y[2], testing::IsArray(nan)) << length;
    const Array few = x[{1, Slice(length - 3, length)}].expand_dims(0);
    const testing::Tolerance close{.rtol = rounding(dtype()), .atol = 1e-12};
    EXPECT_THAT(
        (y[{1, Slice(length - 3, length)}]),
        testing::IsClose(
            softmax(Variable(few.astype(Dtype::kFloat64))).data()[0], close))
        << length;
    EXPECT_THAT((y[{1, Slice(0, length - 3)}]),
                testing::IsArray(array::zeros({length - 3})))
        << length;
    EXPECT_NEAR(array::sum(y[4]).item<double>(), 1, 2 * rounding(dtype()));
  }
}

}  // namespace
}  // namespace catena::functions
