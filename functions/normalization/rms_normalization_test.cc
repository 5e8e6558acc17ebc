#include "catena/functions/normalization/rms_normalization.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class RmsNormalizationTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(RmsNormalization, RmsNormalizationTest,
                         testing::every_device(), testing::device_name);

TEST_P(RmsNormalizationTest, GradientsMatchFiniteDifferences) {
  const auto function = [](const Variable& x, const Variable& gamma) {
    return rms_normalization(x, gamma, {.eps = 0.1});
  };
  const Array gamma = testing::uniform({17}, 0.5, 1.5, Dtype::kFloat64, 1);
  testing::check_function_gradients(function,
                                    {testing::uniform({3, 17}), gamma});
  testing::check_function_gradients(function,
                                    {testing::uniform({0, 17}), gamma});
}

TEST_P(RmsNormalizationTest, BatchAxesAreRows) {
  const Array x = testing::uniform({2, 3, 4});
  const Array gamma = testing::uniform({4}, 0.5, 1.5, Dtype::kFloat64, 1);
  const Variable y = rms_normalization(x, gamma, {.n_batch_axes = 2});
  EXPECT_THAT(
      y.data().reshape(6, 4),
      testing::IsArray(rms_normalization(x.reshape(6, 4), gamma).data()));
  EXPECT_EQ(y.shape(), x.shape());
}

TEST_P(RmsNormalizationTest, EveryFloatDtypeIsKept) {
  for (const Dtype dtype : testing::float_dtypes()) {
    const Variable x(testing::uniform({2, 4}, -1, 1, dtype));
    const Variable gamma(testing::uniform({4}, 0.5, 1, dtype, 1));
    EXPECT_EQ(rms_normalization(x, gamma).dtype(), dtype);
  }
}

TEST(RmsNormalizationErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 4}));
  const Variable four(array::ones({4}));
  const Variable two(array::ones({2}));
  EXPECT_THAT(error_of<InvalidType>([&] { rms_normalization(x, two); }),
              HasSubstr("Expect: gamma.shape[0] == x.shape[1]\n"
                        "Actual: 2 != 4"));
  EXPECT_THAT(
      error_of<ValueError>([&] { rms_normalization(x, four, {.eps = -1}); }),
      HasSubstr("rms_normalization: expected eps of at least 0, got "
                "-1"));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { rms_normalization(x, four, {.n_batch_axes = 0}); }),
              HasSubstr("rms_normalization: expected n_batch_axes of at least "
                        "1, got 0"));
  EXPECT_THAT(error_of<InvalidType>(
                  [&] { rms_normalization(x, four, {.n_batch_axes = 2}); }),
              HasSubstr("Expect: gamma.shape[0] == x.shape[1]\n"
                        "Actual: 4 != 1"));
  EXPECT_THAT(error_of<ValueError>(
                  [&] { rms_normalization(x, four, {.n_batch_axes = 3}); }),
              HasSubstr("expected x to have the 3 axes of n_batch_axes, got "
                        "shape (2, 4)"));
}

}  // namespace
}  // namespace catena::functions
