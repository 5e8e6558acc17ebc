#include "catena/functions/loss/covariance.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

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
  EXPECT_THAT(error_of<InvalidType>([&] {
                cross_covariance(x, Variable(array::zeros({3, 3})));
              }),
              HasSubstr("Expect: y.shape[0] == z.shape[0]\nActual: 2 != 3"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { decov(Variable(array::zeros({3}))); }),
      HasSubstr("Expect: h.ndim == 2"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                decov(Variable(array::zeros({3, 2}, Dtype::kInt32)));
              }),
              HasSubstr("Expect: h.dtype is floating"));
  EXPECT_THAT(
      error_of<ValueError>([&] { decov(x, {.reduce = "mean"}); }),
      HasSubstr("decov: expected reduce \"half_squared_sum\" or \"no\", got "
                "\"mean\""));
}

}  // namespace
}  // namespace catena::functions
