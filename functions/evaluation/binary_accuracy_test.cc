#include "catena/functions/evaluation/binary_accuracy.h"

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

class BinaryAccuracyTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(BinaryAccuracy, BinaryAccuracyTest,
                         testing::every_device(), testing::device_name);

TEST_P(BinaryAccuracyTest, IgnoresMinusOneAndIsZeroWhenNothingCounts) {
  const Variable y(array::array({0.0, -1.0, 1.0}));
  EXPECT_THAT(binary_accuracy(y, array::array({1, -1, 0})).data(),
              testing::IsArray(array::array(0.5)));
  EXPECT_THAT(binary_accuracy(y, array::full({3}, -1)).data(),
              testing::IsArray(array::array(0.0)));
}

TEST(BinaryAccuracyErrorTest, NamesWhatDoesNotFit) {
  const Variable y(array::zeros({3}));
  EXPECT_THAT(error_of<InvalidType>([&] {
                binary_accuracy(y, array::zeros({2}, Dtype::kInt32));
              }),
              HasSubstr("Expect: y.shape == t.shape"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { binary_accuracy(y, array::zeros({3})); }),
      HasSubstr("Expect: t.dtype is an integer"));
}

}  // namespace
}  // namespace catena::functions
