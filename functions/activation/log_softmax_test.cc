#include "catena/functions/activation/log_softmax.h"

#include <gmock/gmock.h>

#include <cmath>

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

class LogSoftmaxTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(LogSoftmax, LogSoftmaxTest, testing::every_device(),
                         testing::device_name);

TEST_P(LogSoftmaxTest, GradientsMatchFiniteDifferences) {
  for (const Shape& shape :
       {Shape{3, 5}, Shape{2, 3, 4}, Shape{2, 0}, Shape{0, 3}}) {
    for (const int64_t axis : {0, -1}) {
      testing::check_function_gradients(
          [&](const Variable& x) { return log_softmax(x, {.axis = axis}); },
          {testing::uniform(shape, -2, 2)});
    }
  }
}

TEST_P(LogSoftmaxTest, DoesNotOverflow) {
  const Variable x(array::array({{-1000.0, 1000.0}, {1000.0, 1000.0}}));
  EXPECT_THAT(log_softmax(x).data(),
              testing::IsClose(array::array(
                  {{-2000.0, 0.0}, {std::log(0.5), std::log(0.5)}})));
}

// Rows longer than any register, with and without a remainder, and strided
// rows.
TEST_P(LogSoftmaxTest, AgreesOnEveryLengthAndLayout) {
  for (const int64_t length : {1, 2, 15, 16, 17, 64, 100, 1025}) {
    const Array x = testing::uniform({3, length}, -4, 4);
    const Variable along = log_softmax(Variable(x));
    const Variable apart = log_softmax(Variable(x.T().copy()), {.axis = 0});
    EXPECT_THAT(apart.data().T(), testing::IsClose(along.data()));
    const Variable narrow = log_softmax(Variable(x.astype(Dtype::kFloat32)));
    EXPECT_THAT(narrow.data(),
                testing::IsClose(along.data().astype(Dtype::kFloat32)));
  }
}

TEST(LogSoftmaxTypeTest, NamesWhatItRejects) {
  EXPECT_THAT(
      error_of<InvalidType>([] { log_softmax(Variable(array::zeros({3}))); }),
      HasSubstr("Expect: x.ndim > 1\nActual: 1 <= 1"));
  EXPECT_THAT(error_of<InvalidType>([] {
                log_softmax(Variable(array::arange(4).reshape({2, 2})));
              }),
              HasSubstr("Expect: x.dtype is floating\nActual: int64"));
}

}  // namespace
}  // namespace catena::functions
