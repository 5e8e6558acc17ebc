#include "catena/functions/loss/vae.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class VaeTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Vae, VaeTest, testing::every_device(),
                         testing::device_name);

TEST_P(VaeTest, GradientsMatchFiniteDifferences) {
  for (const std::string_view reduce : {"sum", "mean", "no"}) {
    const LikelihoodOptions options{.reduce = reduce};
    for (const Shape& shape : {Shape{2, 3}, Shape{}, Shape{0, 3}}) {
      if (size_of(shape) == 0 && reduce == "mean") continue;  // NaN
      const Array a = testing::uniform(shape);
      const Array b = testing::uniform(shape, -1, 1, Dtype::kFloat64, 4);
      const Array c = testing::uniform(shape, -1, 1, Dtype::kFloat64, 5);
      testing::check_function_gradients(
          [&](const Variable& x, const Variable& y) {
            return bernoulli_nll(x, y, options);
          },
          {a, b});
      testing::check_function_gradients(
          [&](const Variable& mean, const Variable& ln_var) {
            return gaussian_kl_divergence(mean, ln_var, options);
          },
          {a, b});
      testing::check_function_gradients(
          [&](const Variable& x, const Variable& mean, const Variable& ln_var) {
            return gaussian_nll(x, mean, ln_var, options);
          },
          {a, b, c});
    }
  }
}

// Second order too: the gradient of a logit is a quotient of exponentials.
TEST_P(VaeTest, BernoulliNllIsFiniteForAnyLogit) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat64}) {
    const Variable y(array::array({-2000.0, 0.0, 2000.0}).astype(dtype));
    const Variable x(array::array({0.0, 0.5, 1.0}).astype(dtype));
    const Variable loss = bernoulli_nll(x, y);
    EXPECT_THAT(
        loss.data(),
        testing::IsClose(array::array(0.6931471805599453).astype(dtype)));
    const std::vector<Variable> gy =
        grad({loss}, {y}, {.enable_double_backprop = true});
    EXPECT_THAT(gy[0].data(), testing::IsClose(array::zeros({3}, dtype)));
    const std::vector<Variable> ggy = grad({sum(gy[0])}, {y});
    EXPECT_THAT(ggy[0].data(),
                testing::IsClose(array::array({0.0, 0.25, 0.0}).astype(dtype)));
  }
}

TEST(VaeErrorTest, NamesWhatItRejects) {
  const Variable x(array::zeros({2, 3}));
  const Variable row(array::zeros({3}));
  EXPECT_THAT(
      error_of<InvalidType>([&] { bernoulli_nll(x, row); }),
      HasSubstr("bernoulli_nll (Forward)\n\nExpect: x.shape == y.shape"));
  EXPECT_THAT(error_of<InvalidType>([&] { gaussian_nll(x, x, row); }),
              HasSubstr("Expect: x.shape == ln_var.shape"));
  EXPECT_THAT(
      error_of<InvalidType>([&] {
        gaussian_kl_divergence(x, Variable(array::zeros({2, 3}, Dtype::kInt8)));
      }),
      HasSubstr("Expect: ln_var.dtype is floating"));
  EXPECT_THAT(
      error_of<ValueError>([&] { gaussian_nll(x, x, x, {.reduce = "max"}); }),
      HasSubstr("gaussian_nll: expected reduce \"sum\", \"mean\" or "
                "\"no\", got \"max\""));
}

}  // namespace
}  // namespace catena::functions
