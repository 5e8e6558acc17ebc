#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/noise/gaussian.h"
#include "catena/functions/noise/gumbel_softmax.h"
#include "catena/functions/noise/simplified_dropconnect.h"
#include "catena/functions/noise/zoneout.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class NoiseTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, NoiseTest, testing::every_device(),
                         testing::device_name);

TEST_P(NoiseTest, GaussianGradientsMatchAndItDrawsWhatItReturns) {
  const Array eps = testing::uniform({3, 4}, -2, 2, Dtype::kFloat64, 5);
  testing::check_function_gradients(
      [&](const Variable& mean, const Variable& ln_var) {
        return gaussian(mean, ln_var, {.eps = eps});
      },
      {testing::uniform({3, 4}), testing::uniform({3, 4})});
  testing::check_function_gradients(
      [](const Variable& mean, const Variable& ln_var) {
        return gaussian(mean, ln_var);
      },
      {testing::uniform({0, 4}), testing::uniform({0, 4})});
  const Variable mean(array::full({200, 100}, 3.0, Dtype::kFloat32));
  const Variable ln_var(
      array::full({200, 100}, std::log(4.0), Dtype::kFloat32));
  array::random::seed(1, device());
  Array drawn;
  const Variable y = gaussian(mean, ln_var, {.return_eps = &drawn});
  EXPECT_THAT(y.data(), testing::IsClose(drawn * 2 + 3));
  EXPECT_NEAR(array::mean(drawn).item<double>(), 0, 0.03);
  EXPECT_NEAR(array::mean(drawn * drawn).item<double>(), 1, 0.05);
}

TEST_P(NoiseTest, ZoneoutKeepsTheExpectedPartOfTheOldState) {
  const Array mask = array::array({{1.0, 0.0, 0.0}, {0.0, 1.0, 1.0}});
  testing::check_function_gradients(
      [&](const Variable& h, const Variable& x) {
        return zoneout(h, x, {.mask = mask});
      },
      {testing::uniform({2, 3}), testing::uniform({2, 3})});
  const Variable h(array::zeros({200, 100}, Dtype::kFloat32));
  const Variable x(array::ones({200, 100}, Dtype::kFloat32));
  array::random::seed(1, device());
  Array drawn;
  const Variable y = zoneout(h, x, {.ratio = 0.25, .return_mask = &drawn});
  EXPECT_THAT(y.data(), testing::IsArray(drawn));
  EXPECT_NEAR(array::mean(drawn).item<double>(), 0.75, 0.01);
  EXPECT_TRUE(array::any(array::not_equal(zoneout(h, x).data(), y.data()))
                  .item<bool>());
}

TEST_P(NoiseTest, ZoneoutIsTheNewStateInTestMode) {
  const auto scope = using_config(&Config::train, false);
  const Variable h(array::zeros({3}));
  const Variable x(array::ones({3}));
  Array mask = array::ones({1});
  EXPECT_TRUE(zoneout(h, x, {.return_mask = &mask}).is_same(x));
  EXPECT_FALSE(mask.defined());
}

TEST_P(NoiseTest, GumbelSoftmaxChoosesAsOftenAsTheProbabilitiesSay) {
  const Array noise = testing::uniform({3, 4}, -1, 2);
  testing::check_function_gradients(
      [&](const Variable& log_pi) {
        return gumbel_softmax(log_pi, {.tau = 0.7, .axis = 0, .noise = noise});
      },
      {testing::uniform({3, 4})});
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16}) {
    const Array pi = array::array({{0.125, 0.25, 0.625}}, dtype);
    const Variable log_pi(array::log(pi + array::zeros({20000, 3}, dtype)));
    array::random::seed(2, device());
    const Array choice = array::argmax(gumbel_softmax(log_pi).data(), 1);
    for (int i = 0; i < 3; ++i) {
      const Array chosen = array::equal(choice, i);
      EXPECT_NEAR(array::mean(chosen).item<double>(), pi[0][i].item<double>(),
                  0.015);
    }
  }
}

TEST_P(NoiseTest, SimplifiedDropconnectGradientsMatch) {
  const Array rows = testing::uniform({3, 2, 2});
  const Array W = testing::uniform({2, 4}, -1, 1, Dtype::kFloat64, 1);
  const Array b = testing::uniform({2}, -1, 1, Dtype::kFloat64, 2);
  for (const bool batchwise : {true, false}) {
    SCOPED_TRACE(batchwise);
    Array mask;
    simplified_dropconnect(
        Variable(rows), Variable(W), {},
        {.use_batchwise_mask = batchwise, .return_mask = &mask});
    testing::check_function_gradients(
        [&](const Variable& x, const Variable& w, const Variable& bias) {
          return simplified_dropconnect(
              x, w, bias, {.mask = mask, .use_batchwise_mask = batchwise});
        },
        {rows, W, b});
  }
  EXPECT_EQ(
      simplified_dropconnect(Variable(array::zeros({0, 2, 2})), Variable(W))
          .shape(),
      Shape({0, 2}));
}

TEST_P(NoiseTest, SimplifiedDropconnectDropsTheExpectedPartAndScales) {
  const Variable x(array::ones({50, 20}, Dtype::kFloat32));
  const Variable W(array::ones({30, 20}, Dtype::kFloat32));
  array::random::seed(1, device());
  Array mask;
  const Variable y =
      simplified_dropconnect(x, W, {}, {.ratio = 0.25, .return_mask = &mask});
  EXPECT_EQ(mask.shape(), Shape({50, 30, 20}));
  EXPECT_EQ(mask.dtype(), Dtype::kBool);
  EXPECT_NEAR(array::mean(mask).item<double>(), 0.75, 0.01);
  EXPECT_THAT(
      y.data(),
      testing::IsClose(array::sum(mask.astype(Dtype::kFloat32), {.axis = 2}) /
                       0.75));
  Array none = array::ones({1});
  EXPECT_THAT(
      simplified_dropconnect(x, W, {}, {.train = false, .return_mask = &none})
          .data(),
      testing::IsArray(linear(x, W).data()));
  EXPECT_FALSE(none.defined());
}

TEST(NoiseErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::ones({2, 3}));
  const Variable other(array::ones({3}));
  EXPECT_THAT(error_of<InvalidType>([&] { gaussian(x, other); }),
              HasSubstr("Expect: mean.shape == ln_var.shape"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { gaussian(x, x, {.eps = other.data()}); }),
      HasSubstr("Expect: eps has the shape, dtype and device of "
                "mean\nActual: eps float64 (3,)"));
  EXPECT_THAT(error_of<InvalidType>([&] { zoneout(x, other); }),
              HasSubstr("Expect: h.shape == x.shape"));
  EXPECT_THAT(error_of<ValueError>([&] { zoneout(x, x, {.ratio = 1.5}); }),
              HasSubstr("zoneout: expected ratio in [0, 1], got 1.5"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { zoneout(x, x, {.mask = other.data()}); }),
      HasSubstr("Expect: mask has the shape, dtype and device of h"));
  EXPECT_THAT(error_of<ValueError>([&] { gumbel_softmax(x, {.tau = 0}); }),
              HasSubstr("gumbel_softmax: expected tau > 0, got 0"));
  EXPECT_THAT(
      error_of<InvalidType>(
          [&] { gumbel_softmax(x, {.noise = other.data()}); }),
      HasSubstr("Expect: noise has the shape, dtype and device of log_pi"));
  const Variable integers(array::ones({2, 3}, Dtype::kInt32));
  EXPECT_THAT(error_of<InvalidType>([&] { gumbel_softmax(integers); }),
              HasSubstr("Expect: log_pi.dtype is floating"));
}

TEST(NoiseErrorTest, NamesWhatDoesNotFitInSimplifiedDropconnect) {
  const Variable x(array::ones({2, 3}));
  const Variable W(array::ones({4, 3}));
  const auto call = [&](const Variable& w, const Variable& b,
                        const SimplifiedDropconnectOptions& options = {}) {
    return [=] { simplified_dropconnect(x, w, b, options); };
  };
  EXPECT_THAT(
      error_of<ValueError>(call(W, {}, {.ratio = 1})),
      HasSubstr("simplified_dropconnect: expected ratio in [0, 1), got 1"));
  EXPECT_THAT(
      error_of<InvalidType>(call(Variable(array::ones({4, 2})), {})),
      HasSubstr("Expect: prod(x.shape[1:]) == W.shape[1]\nActual: 3 != 2"));
  EXPECT_THAT(error_of<InvalidType>(call(W, Variable(array::ones({3})))),
              HasSubstr("Expect: b.shape[0] == W.shape[0]"));
  EXPECT_THAT(
      error_of<InvalidType>(
          call(W, {}, {.mask = array::ones({4, 3}, Dtype::kBool)})),
      HasSubstr("Expect: mask of shape (2, 4, 3), bool or of x's dtype\n"
                "Actual: mask bool (4, 3) on native:0"));
}

}  // namespace
}  // namespace catena::functions
