#include "catena/functions/normalization/batch_normalization.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "catena/array/channels_last.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/math/operators.h"
#include "catena/tests/support/cudnn_comparison.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

// Tolerances of results and gradients that are computed in float32.
testing::Tolerance tolerance_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat64:
      return {.rtol = 1e-9, .atol = 1e-9};
    case Dtype::kFloat32:
      return {.rtol = 1e-3, .atol = 2e-4};
    case Dtype::kFloat16:
      return {.rtol = 4e-3, .atol = 4e-3};
    default:
      return {.rtol = 3e-2, .atol = 3e-2};
  }
}

class BatchNormalizationTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(BatchNormalization, BatchNormalizationTest,
                         testing::every_device(), testing::device_name);

TEST_P(BatchNormalizationTest, GradientsMatchFiniteDifferences) {
  const auto of_axis = [](const AxisSet& axis) {
    return [axis](const Variable& x, const Variable& gamma,
                  const Variable& beta) {
      return batch_normalization(x, gamma, beta, {.eps = 0.1, .axis = axis});
    };
  };
  const Array gamma = testing::uniform({3}, 0.5, 1.5, Dtype::kFloat64, 1);
  const Array beta = testing::uniform({3}, -1, 1, Dtype::kFloat64, 2);
  testing::check_function_gradients(of_axis({}),
                                    {testing::uniform({4, 3}), gamma, beta});
  testing::check_function_gradients(
      of_axis({}), {testing::uniform({2, 3, 5, 4}), gamma, beta});
  testing::check_function_gradients(of_axis({}),
                                    {testing::uniform({2, 3, 3}), gamma, beta});
  testing::check_function_gradients(
      of_axis({1}), {testing::uniform({3, 4, 2}),
                     testing::uniform({3, 2}, 0.5, 1.5, Dtype::kFloat64, 3),
                     testing::uniform({3, 2}, -1, 1, Dtype::kFloat64, 4)});
  for (const Shape& empty : {Shape{0, 3}, Shape{2, 3, 0}}) {
    testing::check_function_gradients(of_axis({}),
                                      {testing::uniform(empty), gamma, beta},
                                      {.second_order = false});
  }
}

TEST_P(BatchNormalizationTest, CudnnChangesNothing) {
  const Array gamma = testing::uniform({3}, 0.5, 1.5, Dtype::kFloat64, 1);
  const Array beta = testing::uniform({3}, -1, 1, Dtype::kFloat64, 2);
  for (const Shape& shape :
       {Shape{5, 3}, Shape{1, 3}, Shape{2, 3, 5}, Shape{4, 3, 5, 7}}) {
    testing::check_cudnn_changes_nothing(
        [](const Variable& x, const Variable& gamma, const Variable& beta) {
          return batch_normalization(x, gamma, beta, {.eps = 0.1});
        },
        {testing::uniform(shape), gamma, beta});
    // The averages as a second result.
    testing::check_cudnn_changes_nothing(
        [](const Variable& x, const Variable& gamma, const Variable& beta) {
          const BatchNormalizationOptions options{
              .running_mean = array::ones({3}, x.dtype()),
              .running_var = array::ones({3}, x.dtype())};
          const Variable y = batch_normalization(x, gamma, beta, options);
          return std::vector<Variable>{y, Variable(options.running_mean),
                                       Variable(options.running_var)};
        },
        {testing::uniform(shape), gamma, beta});
  }
}

TEST_P(BatchNormalizationTest, FixedGradientsMatchFiniteDifferences) {
  const auto fixed = [](const Variable& x, const Variable& gamma,
                        const Variable& beta, const Variable& mean,
                        const Variable& var) {
    return fixed_batch_normalization(x, gamma, beta, mean, var, {.eps = 0.1});
  };
  const auto numbers = [](double low, double high, int seed) {
    return testing::uniform({3}, low, high, Dtype::kFloat64, seed);
  };
  testing::check_function_gradients(
      fixed, {testing::uniform({2, 3, 4}), numbers(0.5, 1.5, 1),
              numbers(-1, 1, 2), numbers(-1, 1, 3), numbers(0.5, 2, 4)});
}

// What every path of the kernels gives: runs and columns, of lengths around
// those of registers and blocks, and more than one block.
TEST_P(BatchNormalizationTest, EveryLayoutNormalizes) {
  for (const Shape& shape :
       {Shape{70, 300}, Shape{9, 17}, Shape{5, 3, 7}, Shape{3, 5, 7, 9},
        Shape{2, 2, 5000}, Shape{300, 2, 3}, Shape{2, 33, 16}}) {
    SCOPED_TRACE(to_string(shape));
    const Shape channels{shape[1]};
    for (const Dtype dtype :
         {Dtype::kFloat16, Dtype::kFloat32, Dtype::kFloat64}) {
      const Array x = testing::uniform(shape, 2, 3, dtype);
      const Array gamma = testing::uniform(channels, 0.5, 1.5, dtype, 1);
      const Array beta = testing::uniform(channels, -1, 1, dtype, 2);
      const Variable y =
          batch_normalization(Variable(x), Variable(gamma), Variable(beta));
      EXPECT_EQ(y.dtype(), dtype);
      Axes axes{0};
      for (int i = 2; i < x.ndim(); ++i) axes.push_back(i);
      Shape kept = Shape::filled(x.ndim(), 1);
      kept[1] = shape[1];
      const array::ReduceOptions over{.axis = axes, .keepdims = true};
      const Array wide = x.astype(Dtype::kFloat64);
      const Array d = wide - array::mean(wide, over);
      const Array var = array::mean(d * d, over);
      const Array expected = gamma.astype(Dtype::kFloat64).reshape(kept) * d /
                                 array::sqrt(var + 2e-5) +
                             beta.astype(Dtype::kFloat64).reshape(kept);
      EXPECT_THAT(y.data(),
                  testing::IsClose(expected.astype(dtype),
                                   testing::default_tolerance(dtype)));
    }
  }
}

// A mean of a thousand standard deviations costs no digits of the variance.
TEST_P(BatchNormalizationTest, AFarMeanCostsNoDigits) {
  for (const Shape& shape : {Shape{1000, 2}, Shape{4, 2, 500}}) {
    const Array noise = testing::uniform(shape, -1, 1);
    const Array x = (noise + 1000.0).astype(Dtype::kFloat32);
    const Array ones = array::ones({2}, Dtype::kFloat32);
    const Array zeros = array::zeros({2}, Dtype::kFloat32);
    const Array exact = x.astype(Dtype::kFloat64);
    const Array y =
        batch_normalization(Variable(x), Variable(ones), Variable(zeros))
            .data();
    const Array expected =
        batch_normalization(Variable(exact),
                            Variable(ones.astype(Dtype::kFloat64)),
                            Variable(zeros.astype(Dtype::kFloat64)))
            .data();
    EXPECT_THAT(y, testing::IsClose(expected.astype(Dtype::kFloat32),
                                    {.rtol = 1e-3, .atol = 1e-3}));
  }
}

// One unit in the last place of a mean near 100, times the sum of gy, would be
// 14 here, a hundredth of gamma's gradient.
TEST_P(BatchNormalizationTest, GammasGradientIgnoresHowTheMeanIsRounded) {
  const auto own = using_config(&Config::use_cudnn, Usage::kNever);
  for (const Shape& shape :
       {Shape{5000, 3}, Shape{5, 3, 1000}, Shape{500, 3, 10}}) {
    const Array x = testing::uniform(shape, 99, 101, Dtype::kFloat32);
    const auto gradient = [&](Dtype dtype) {
      const Variable gamma(array::ones({3}, dtype));
      const Variable y = batch_normalization(
          Variable(x.astype(dtype)), gamma, Variable(array::zeros({3}, dtype)));
      y.set_grad(x.astype(dtype));
      y.backward();
      return gamma.grad().astype(Dtype::kFloat32);
    };
    EXPECT_THAT(
        gradient(Dtype::kFloat32),
        testing::IsClose(gradient(Dtype::kFloat64), {.rtol = 1e-5, .atol = 0}))
        << shape;
  }
}
TEST_P(BatchNormalizationTest, ParametersMayBeWiderThanX) {
  const Variable x(testing::uniform({6, 3}, -1, 1, Dtype::kFloat16));
  const Variable gamma(array::ones({3}, Dtype::kFloat32));
  const Variable beta(array::zeros({3}, Dtype::kFloat32));
  const Variable y = batch_normalization(x, gamma, beta);
  EXPECT_EQ(y.dtype(), Dtype::kFloat16);
  y.set_grad(array::ones_like(y.data()));
  y.backward();
  EXPECT_EQ(x.grad().dtype(), Dtype::kFloat16);
  EXPECT_EQ(gamma.grad().dtype(), Dtype::kFloat32);
  EXPECT_THAT(beta.grad(),
              testing::IsArray(array::full({3}, 6, Dtype::kFloat32)));
  const std::vector<Variable> recorded =
      catena::grad({y}, {x, gamma}, {.enable_double_backprop = true});
  EXPECT_THAT(recorded[0].data(), testing::IsClose(x.grad()));
  EXPECT_THAT(recorded[1].data(), testing::IsClose(gamma.grad()));
}

// The same function of functions of their own.
Variable composed(const Variable& x, const Variable& gamma,
                  const Variable& beta,
                  const BatchNormalizationOptions& options) {
  BatchNormalizationOptions plain = options;
  plain.residual = Variable();
  plain.relu = false;
  Variable y = batch_normalization(x, gamma, beta, plain);
  if (options.residual.defined()) y = y + options.residual;
  return options.relu ? relu(y) : y;
}

using Normalize = Variable(const Variable& x, const Variable& gamma,
                           const Variable& beta,
                           const BatchNormalizationOptions& options);

// The result and the gradients of x, gamma, beta and the residual.
std::vector<Array> results_of(Normalize* normalize, const Array& x,
                              const Array& gamma, const Array& beta,
                              const Array& residual, bool with_relu,
                              const Array& gy) {
  const Variable inputs[] = {
      Variable(x), Variable(gamma), Variable(beta),
      residual.defined() ? Variable(residual) : Variable()};
  const Variable y = normalize(inputs[0], inputs[1], inputs[2],
                               {.residual = inputs[3], .relu = with_relu});
  y.set_grad(gy);
  y.backward();
  std::vector<Array> results{y.data()};
  for (const Variable& input : inputs) {
    if (input.defined()) results.push_back(input.grad());
  }
  return results;
}

enum class Order : uint8_t { kC, kChannelsLast, kUnaligned };

// The array in another order, or one element off an address that packs can be
// read from.
Array in_order(const Array& a, Order order) {
  if (order == Order::kChannelsLast) return array::in_channels_last(a);
  if (order == Order::kC) return a;
  const Array room = array::empty({a.size() + 1}, a.dtype(), a.device());
  Array view = room[{Slice(1, {})}].reshape(a.shape());
  view.assign(a);
  return view;
}

// Every path of the kernels: packs and single elements, whole and cut, of
// columns and of planes, one part and several.
TEST_P(BatchNormalizationTest, ResidualAndReluAreThoseOfFunctions) {
  struct Case {
    Shape shape;
    Order order;
  };
  const Case cases[] = {{{70, 300}, Order::kC},
                        {{9, 17}, Order::kC},
                        {{600, 8}, Order::kC},
                        {{40, 264}, Order::kUnaligned},
                        {{5, 3, 7}, Order::kC},
                        {{2, 2, 5000}, Order::kC},
                        {{2, 2, 5001}, Order::kUnaligned},
                        {{1, 3, 1}, Order::kC},
                        {{4, 5, 7, 7}, Order::kC},
                        {{3, 16, 14, 14}, Order::kC},
                        {{3, 16, 14, 14}, Order::kUnaligned},
                        {{3, 16, 9, 5}, Order::kChannelsLast},
                        {{2, 40, 9, 5}, Order::kChannelsLast},
                        {{2, 17, 9, 5}, Order::kChannelsLast},
                        {{9, 24, 1, 1}, Order::kChannelsLast}};
  for (const Case& one : cases) {
    const Shape& shape = one.shape;
    const Order order = one.order;
    const Array x = testing::uniform(shape, 2, 3);
    const Array gy = testing::uniform(shape, -1, 1, Dtype::kFloat64, 1);
    const Array r = testing::uniform(shape, -1, 1, Dtype::kFloat64, 2);
    const Shape channels{shape[1]};
    const Array gamma =
        testing::uniform(channels, 0.5, 1.5, Dtype::kFloat64, 3);
    const Array beta = testing::uniform(channels, -1, 1, Dtype::kFloat64, 4);
    for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBFloat16,
                              Dtype::kFloat32, Dtype::kFloat64}) {
      for (const bool is_fused : {false, true}) {
        SCOPED_TRACE(str(shape, " ", dtype, " order ", static_cast<int>(order),
                         is_fused ? " fused" : ""));
        const auto in = [&](const Array& a) {
          return in_order(a.astype(dtype), order);
        };
        // The same numbers on the CPU, where functions of their own are.
        const auto wide = [&](const Array& a) {
          return a.astype(dtype)
              .astype(Dtype::kFloat64)
              .to_device(native_device());
        };
        const auto results = results_of(
            batch_normalization, in(x), gamma.astype(dtype), beta.astype(dtype),
            is_fused ? in(r) : Array(), is_fused, in(gy));
        const auto expected =
            results_of(composed, wide(x), wide(gamma), wide(beta),
                       is_fused ? wide(r) : Array(), is_fused, wide(gy));
        ASSERT_EQ(results.size(), expected.size());
        for (size_t i = 0; i < results.size(); ++i) {
          SCOPED_TRACE(i);
          EXPECT_EQ(results[i].dtype(), dtype);
          EXPECT_THAT(
              results[i].astype(Dtype::kFloat64).to_device(native_device()),
              testing::IsClose(expected[i], tolerance_of(dtype)));
        }
      }
    }
  }
}

TEST_P(BatchNormalizationTest, FusedGradientsMatchFiniteDifferences) {
  const Array gamma = testing::uniform({3}, 0.5, 1.5, Dtype::kFloat64, 1);
  // Results are on either side of 0, but not near it.
  const Array beta = array::zeros({3}, Dtype::kFloat64);
  const Shape shape{4, 3, 2};
  const Array x = testing::uniform(shape);
  const Array y = batch_normalization(Variable(x), Variable(gamma),
                                      Variable(beta), {.eps = 0.1})
                      .data();
  const Array residual =
      array::where(array::greater(
                       testing::uniform(shape, -1, 1, Dtype::kFloat64, 5), 0.0),
                   1.0, -1.0) -
      y;
  for (const bool with_relu : {false, true}) {
    testing::check_function_gradients(
        [with_relu](const Variable& x, const Variable& gamma,
                    const Variable& beta, const Variable& residual) {
          return batch_normalization(
              x, gamma, beta,
              {.eps = 0.1, .residual = residual, .relu = with_relu});
        },
        {x, gamma, beta, residual});
  }
}

TEST_P(BatchNormalizationTest, ReluOfNanIsNan) {
  const Array x = testing::uniform({2, 3, 4}, -1, 1, Dtype::kFloat32);
  x[{0, 1, 2}].fill(NAN);
  const Variable y = batch_normalization(
      Variable(x), Variable(array::ones({3}, Dtype::kFloat32)),
      Variable(array::zeros({3}, Dtype::kFloat32)), {.relu = true});
  const Array is_nan = array::isnan(y.data());
  for (int64_t c = 0; c < 3; ++c) {
    const Array of_channel = is_nan[{Slice(), c}];
    EXPECT_EQ(of_channel.all().item<bool>(), c == 1);
    EXPECT_EQ(of_channel.any().item<bool>(), c == 1);
  }
}

TEST_P(BatchNormalizationTest, EmptyBatchesHaveResiduals) {
  for (const Shape& shape : {Shape{0, 3}, Shape{2, 3, 0}, Shape{2, 0, 4}}) {
    const Shape channels{shape[1]};
    const auto results = results_of(
        batch_normalization, array::ones(shape), array::ones(channels),
        array::zeros(channels), array::ones(shape), true, array::ones(shape));
    EXPECT_EQ(results[0].shape(), shape);
    EXPECT_THAT(results[2], testing::IsArray(array::zeros(channels)));
  }
}

// The gradient of gamma is a sum of products with deviations from the mean,
// which rounding it would all shift.
TEST_P(BatchNormalizationTest, AFarMeanCostsGammasGradientNoDigits) {
  for (const Shape& shape :
       {Shape{1000, 2}, Shape{4, 2, 500}, Shape{2, 2, 3}}) {
    const Array x =
        (testing::uniform(shape, -1, 1) + 1000.0).astype(Dtype::kFloat32);
    const Array gy = testing::uniform(shape, 5, 6, Dtype::kFloat32, 1);
    const auto gamma_gradient = [&](Dtype dtype) {
      const Array ones = array::ones({2}, dtype);
      return results_of(batch_normalization, x.astype(dtype), ones,
                        array::zeros({2}, dtype), Array(), false,
                        gy.astype(dtype))[2];
    };
    EXPECT_THAT(gamma_gradient(Dtype::kFloat32).astype(Dtype::kFloat64),
                testing::IsClose(gamma_gradient(Dtype::kFloat64),
                                 {.rtol = 1e-3, .atol = 2e-2}))
        << shape;
  }
}

TEST_P(BatchNormalizationTest, ParametersAndAveragesMayBeOfAnyDtype) {
  const Array x = testing::uniform({6, 3, 4}, -1, 1, Dtype::kFloat32);
  const auto run = [&](Dtype dtype, const Array& mean, const Array& var) {
    const Variable gamma(array::full({3}, 1.5, dtype));
    const Variable beta(array::full({3}, 0.25, dtype));
    const Variable y = batch_normalization(
        Variable(x), gamma, beta, {.running_mean = mean, .running_var = var});
    y.set_grad(x);
    y.backward();
    EXPECT_EQ(gamma.grad().dtype(), dtype);
    EXPECT_EQ(beta.grad().dtype(), dtype);
    return std::vector<Array>{y.data(), gamma.grad(), mean, var};
  };
  const auto ones = [](Dtype dtype) { return array::ones({3}, dtype); };
  const auto expected =
      run(Dtype::kFloat64, ones(Dtype::kFloat64), ones(Dtype::kFloat64));
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32}) {
    const Array strided = array::ones({3, 2}, dtype)[{Slice(), 0}];
    for (const Array& mean : {ones(dtype), strided}) {
      const auto results = run(dtype, mean, ones(dtype));
      for (size_t i = 0; i < results.size(); ++i) {
        EXPECT_THAT(results[i].astype(Dtype::kFloat64),
                    testing::IsClose(expected[i].astype(Dtype::kFloat64),
                                     tolerance_of(dtype)));
      }
    }
  }
}

TEST(BatchNormalizationErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 3}));
  const Variable three(array::ones({3}));
  const Variable two(array::ones({2}));
  EXPECT_THAT(
      error_of<InvalidType>([&] { batch_normalization(x, two, three); }),
      HasSubstr("Expect: gamma.shape[0] == x.shape[1]\n"
                "Actual: 2 != 3"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { batch_normalization(x, three, two); }),
      HasSubstr("Expect: beta.shape[0] == x.shape[1]"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                batch_normalization(
                    x, three, Variable(array::ones({3}, Dtype::kFloat32)));
              }),
              HasSubstr("beta.dtype == gamma.dtype"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { batch_normalization(three, three, three); }),
      HasSubstr("x.ndim >= 2"));
  EXPECT_THAT(error_of<InvalidType>(
                  [&] { batch_normalization(x, three, three, {.axis = {2}}); }),
              HasSubstr("x.ndim > 2"));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { batch_normalization(x, three, three, {.eps = -1}); }),
              HasSubstr("batch_normalization: expected eps of at least 0, "
                        "got -1"));
  EXPECT_THAT(
      error_of<ValueError>([&] {
        batch_normalization(x, three, three,
                            {.running_mean = array::ones({2})});
      }),
      HasSubstr(
          "expected running_mean like gamma (3,) on native:0, got float64 "
          "(2,) on native:0"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                batch_normalization(x, three, three, {.residual = three});
              }),
              HasSubstr("Expect: residual.shape == "
                        "x.shape\nActual: (3,) != (2, 3)"));
  EXPECT_THAT(
      error_of<InvalidType>([&] {
        batch_normalization(
            x, three, three,
            {.residual = Variable(array::zeros({2, 3}, Dtype::kFloat32))});
      }),
      HasSubstr("residual.dtype == x.dtype"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                fixed_batch_normalization(x, three, three, two, three);
              }),
              HasSubstr("Expect: mean.shape[0] == x.shape[1]"));
  EXPECT_THAT(error_of<ValueError>([&] {
                fixed_batch_normalization(x, three, three, three, three,
                                          {.eps = -1});
              }),
              HasSubstr("got -1"));
}

}  // namespace
}  // namespace catena::functions
