#include "catena/functions/activation/softmax.h"

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

TEST_P(SoftmaxTest, DoesNotOverflow) {
  const Variable x(array::array({{-1000.0, 1000.0}, {1000.0, 1000.0}}));
  EXPECT_THAT(softmax(x).data(),
              testing::IsClose(array::array({{0.0, 1.0}, {0.5, 0.5}})));
}

// Rows longer than any register, with and without a remainder, and strided
// rows, few and many.
TEST_P(SoftmaxTest, AgreesOnEveryLengthAndLayout) {
  for (const int64_t rows : {3, 21}) {
    for (const int64_t length : {1, 2, 15, 16, 17, 64, 100, 1025, 9000}) {
      const Array wide = testing::uniform({rows, length}, -4, 4);
      EXPECT_THAT(softmax(Variable(wide.astype(Dtype::kFloat32))).data(),
                  testing::IsClose(
                      softmax(Variable(wide)).data().astype(Dtype::kFloat32)));
      for (const Dtype dtype : testing::float_dtypes()) {
        const Array x = wide.astype(dtype);
        const Array gy = testing::uniform({rows, length}, -1, 1).astype(dtype);
        const Variable along(x);
        const Variable apart(x.T().copy());
        const Variable y = softmax(along);
        const Variable of_columns = softmax(apart, {.axis = 0});
        EXPECT_THAT(of_columns.data().T(), testing::IsClose(y.data()));
        y.set_grad(gy);
        y.backward();
        of_columns.set_grad(gy.T());
        of_columns.backward();
        EXPECT_THAT(apart.grad().T(), testing::IsClose(along.grad()));
      }
    }
  }
}

// Results that bypass the caches, at any place in a cache line.
TEST(SoftmaxOnCpuTest, ManyRowsSideBySide) {
  const Array x =
      testing::uniform({3, 21, 40001}, -4, 4).astype(Dtype::kFloat32);
  const Array y = softmax(Variable(x), 1).data();
  const Array along = softmax(Variable(x.transpose(0, 2, 1)), 2).data();
  EXPECT_THAT(y, testing::IsClose(along.transpose(0, 2, 1)));
}

TEST(SoftmaxTypeTest, NamesWhatItRejects) {
  EXPECT_THAT(
      error_of<InvalidType>([] { softmax(Variable(array::zeros({3}))); }),
      HasSubstr("Expect: x.ndim > 1\nActual: 1 <= 1"));
  EXPECT_THAT(error_of<InvalidType>([] {
                softmax(Variable(array::arange(4).reshape({2, 2})));
              }),
              HasSubstr("Expect: x.dtype is floating\nActual: int64"));
}

}  // namespace
}  // namespace catena::functions
