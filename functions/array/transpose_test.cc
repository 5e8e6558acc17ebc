#include "catena/functions/array/transpose.h"

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

class TransposeTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Transpose, TransposeTest, testing::every_device(),
                         testing::device_name);

TEST_P(TransposeTest, GradientsMatchFiniteDifferences) {
  for (const Axes& axes : {Axes{}, Axes{1, 2, 0}, Axes{-1, 0, -2}}) {
    testing::check_function_gradients(
        [&](const Variable& x) { return transpose(x, axes); },
        {testing::uniform({2, 3, 4})});
  }
}

TEST(TransposeErrorTest, NamesTheAxes) {
  const Variable x(array::zeros({2, 3}));
  for (const Axes& axes : {Axes{0}, Axes{0, 0}, Axes{0, 2}, Axes{0, -2}}) {
    EXPECT_THAT(
        error_of<InvalidType>([&] { transpose(x, axes); }),
        HasSubstr(
            str("Expect: axes is a permutation of 2 axes\nActual: ", axes)));
  }
}

}  // namespace
}  // namespace catena::functions
