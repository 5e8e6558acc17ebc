#include "catena/functions/normalization/batch_normalization.h"

#include <gmock/gmock.h>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/array/reduce.h"
#include "catena/array/ufunc.h"
#include "catena/tests/support/cudnn_comparison.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

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

TEST(BatchNormalizationErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 3}));
  const Variable three(array::ones({3}));
  const Variable two(array::ones({2}));
  EXPECT_THAT([&] { batch_normalization(x, two, three); },
              ThrowsMessage<InvalidType>(
                  HasSubstr("Expect: gamma.shape[0] == x.shape[1]\n"
                            "Actual: 2 != 3")));
  EXPECT_THAT([&] { batch_normalization(x, three, two); },
              ThrowsMessage<InvalidType>(
                  HasSubstr("Expect: beta.shape[0] == x.shape[1]")));
  EXPECT_THAT(
      [&] {
        batch_normalization(x, three,
                            Variable(array::ones({3}, Dtype::kFloat32)));
      },
      ThrowsMessage<InvalidType>(HasSubstr("beta.dtype == gamma.dtype")));
  EXPECT_THAT([&] { batch_normalization(three, three, three); },
              ThrowsMessage<InvalidType>(HasSubstr("x.ndim >= 2")));
  EXPECT_THAT([&] { batch_normalization(x, three, three, {.axis = {2}}); },
              ThrowsMessage<InvalidType>(HasSubstr("x.ndim > 2")));
  EXPECT_THAT([&] { batch_normalization(x, three, three, {.eps = -1}); },
              ThrowsMessage<ValueError>(
                  HasSubstr("batch_normalization: expected eps of at least 0, "
                            "got -1")));
  EXPECT_THAT(
      [&] {
        batch_normalization(x, three, three,
                            {.running_mean = array::ones({2})});
      },
      ThrowsMessage<ValueError>(HasSubstr(
          "expected running_mean like gamma (3,) on native:0, got float64 "
          "(2,) on native:0")));
  EXPECT_THAT([&] { fixed_batch_normalization(x, three, three, two, three); },
              ThrowsMessage<InvalidType>(
                  HasSubstr("Expect: mean.shape[0] == x.shape[1]")));
  EXPECT_THAT(
      [&] {
        fixed_batch_normalization(x, three, three, three, three, {.eps = -1});
      },
      ThrowsMessage<ValueError>(HasSubstr("got -1")));
}

}  // namespace
}  // namespace catena::functions
