#include "catena/functions/activation/softmax.h"

#include <gmock/gmock.h>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/tests/support/cudnn_comparison.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class SoftmaxTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Softmax, SoftmaxTest, testing::every_device(),
                         testing::device_name);

TEST_P(SoftmaxTest, GradientsMatchFiniteDifferences) {
  for (const Shape& shape :
       {Shape{3, 5}, Shape{2, 3, 4}, Shape{2, 0}, Shape{0, 3}}) {
    for (const int64_t axis : {0, -1}) {
      testing::check_function_gradients(
          [&](const Variable& x) { return softmax(x, {.axis = axis}); },
          {testing::uniform(shape, -2, 2)});
    }
  }
}

TEST_P(SoftmaxTest, CudnnChangesNothing) {
  for (const int64_t axis : {0, 1, 2}) {
    testing::check_cudnn_changes_nothing(
        [&](const Variable& x) { return softmax(x, {.axis = axis}); },
        {testing::uniform({3, 5, 7}, -4, 4)});
  }
}

TEST_P(SoftmaxTest, DoesNotOverflow) {
  const Variable x(array::array({{-1000.0, 1000.0}, {1000.0, 1000.0}}));
  EXPECT_THAT(softmax(x).data(),
              testing::IsClose(array::array({{0.0, 1.0}, {0.5, 0.5}})));
}

// Rows longer than any register, with and without a remainder, and rows that
// lie apart.
TEST_P(SoftmaxTest, AgreesOnEveryLengthAndLayout) {
  for (const int64_t length : {1, 2, 15, 16, 17, 64, 100, 1025}) {
    const Array x = testing::uniform({3, length}, -4, 4);
    const Variable along = softmax(Variable(x));
    const Variable apart = softmax(Variable(x.T().copy()), {.axis = 0});
    EXPECT_THAT(apart.data().T(), testing::IsClose(along.data()));
    const Variable narrow = softmax(Variable(x.astype(Dtype::kFloat32)));
    EXPECT_THAT(narrow.data(),
                testing::IsClose(along.data().astype(Dtype::kFloat32)));
  }
}

TEST(SoftmaxTypeTest, NamesWhatItRejects) {
  EXPECT_THAT([] { softmax(Variable(array::zeros({3}))); },
              ThrowsMessage<InvalidType>(
                  HasSubstr("Expect: x.ndim > 1\nActual: 1 <= 1")));
  EXPECT_THAT(
      [] {
        softmax(Variable(array::arange(4).reshape({2, 2})));
      },
      ThrowsMessage<InvalidType>(
          HasSubstr("Expect: x.dtype is floating\nActual: int64")));
}

}  // namespace
}  // namespace catena::functions
