#include "catena/functions/loss/covariance.h"

#include <gmock/gmock.h>

#include <string>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/tests/support/function_golden.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class CovarianceGolden : public testing::FunctionGoldenTest {
 protected:
  std::string reduce() const {
    return golden().attr_or<std::string>("reduce", "half_squared_sum");
  }
};

class CrossCovarianceGolden : public CovarianceGolden {};
TEST_P(CrossCovarianceGolden, AgreesWithChainer) {
  check_case([&](const Variables& in) {
    return cross_covariance(in[0], in[1], {.reduce = reduce()});
  });
}
INSTANTIATE_TEST_SUITE_P(
    CrossCovariance, CrossCovarianceGolden,
    testing::every_device_and_case("functions/loss/cross_covariance"),
    testing::golden_device_name);

class DecovGolden : public CovarianceGolden {};
TEST_P(DecovGolden, AgreesWithChainer) {
  check_case(
      [&](const Variables& in) { return decov(in[0], {.reduce = reduce()}); });
}
INSTANTIATE_TEST_SUITE_P(Decov, DecovGolden,
                         testing::every_device_and_case("functions/loss/decov"),
                         testing::golden_device_name);

class CovarianceTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Covariance, CovarianceTest, testing::every_device(),
                         testing::device_name);

TEST_P(CovarianceTest, GradientsMatchFiniteDifferences) {
  for (const std::string_view reduce : {"half_squared_sum", "no"}) {
    const Array y = testing::uniform({5, 3});
    const Array z = testing::uniform({5, 2}, -1, 1, Dtype::kFloat64, 4);
    testing::check_function_gradients(
        [&](const Variable& y, const Variable& z) {
          return cross_covariance(y, z, {.reduce = reduce});
        },
        {y, z});
    testing::check_function_gradients(
        [&](const Variable& h) { return decov(h, {.reduce = reduce}); }, {y});
  }
}

TEST(CovarianceErrorTest, NamesWhatItRejects) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(
      [&] {
        cross_covariance(x, Variable(array::zeros({3, 3})));
      },
      ThrowsMessage<InvalidType>(
          HasSubstr("Expect: y.shape[0] == z.shape[0]\nActual: 2 != 3")));
  EXPECT_THAT([&] { decov(Variable(array::zeros({3}))); },
              ThrowsMessage<InvalidType>(HasSubstr("Expect: h.ndim == 2")));
  EXPECT_THAT(
      [&] {
        decov(Variable(array::zeros({3, 2}, Dtype::kInt32)));
      },
      ThrowsMessage<InvalidType>(HasSubstr("Expect: h.dtype is floating")));
  EXPECT_THAT([&] { decov(x, {.reduce = "mean"}); },
              ThrowsMessage<ValueError>(HasSubstr(
                  "decov: expected reduce \"half_squared_sum\" or \"no\", got "
                  "\"mean\"")));
}

}  // namespace
}  // namespace catena::functions
