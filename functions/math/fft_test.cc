#include "catena/functions/math/fft.h"

#include <gmock/gmock.h>

#include <vector>

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

class FftTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Fft, FftTest, testing::every_device(),
                         testing::device_name);

TEST_P(FftTest, GradientsMatchFiniteDifferences) {
  for (const Shape& shape : {Shape{6}, Shape{2, 5}, Shape{0, 3}}) {
    const std::vector<Array> parts = {testing::uniform(shape),
                                      testing::uniform(shape)};
    testing::check_function_gradients(
        [](const Variable& real, const Variable& imag) {
          return fft(real, imag);
        },
        parts);
    testing::check_function_gradients(
        [](const Variable& real, const Variable& imag) {
          return ifft(real, imag);
        },
        parts);
  }
}

TEST_P(FftTest, OnePartAloneHasGradients) {
  testing::check_function_gradients(
      [](const Variable& real, const Variable& imag) {
        return fft(real, imag)[1];
      },
      {testing::uniform({2, 3}), testing::uniform({2, 3})});
}

TEST(FftErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(
      error_of<InvalidType>([&] { fft(x, Variable(array::zeros({3}))); }),
      HasSubstr("fft (Forward)\n\nExpect: real.shape == imag.shape\n"
                "Actual: (2, 3) != (3,)"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                ifft(x, Variable(array::zeros({2, 3}, Dtype::kFloat32)));
              }),
              HasSubstr("ifft (Forward)"));
  const Variable scalar(array::zeros({}));
  EXPECT_THAT(error_of<InvalidType>([&] { fft(scalar, scalar); }),
              HasSubstr("Expect: real.ndim > 0"));
  const Variable empty(array::zeros({2, 0}));
  EXPECT_THAT(error_of<InvalidType>([&] { fft(empty, empty); }),
              HasSubstr("Expect: real.shape[-1] > 0"));
}

}  // namespace
}  // namespace catena::functions
