#include "catena/functions/noise/dropout.h"

#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class DropoutTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Dropout, DropoutTest, testing::every_device(),
                         testing::device_name);

TEST_P(DropoutTest, GradientsMatchFiniteDifferences) {
  const Array x = testing::uniform({3, 4});
  Array mask;
  dropout(Variable(x), {.ratio = 0.3, .return_mask = &mask});
  testing::check_function_gradients(
      [&](const Variable& x) {
        return dropout(x, {.ratio = 0.3, .mask = mask});
      },
      {x});
}

TEST_P(DropoutTest, KeepsTheExpectedPartAndScalesIt) {
  const Variable x(array::ones({200, 100}, Dtype::kFloat32));
  array::random::seed(1, device());
  Array mask;
  const Variable y = dropout(x, {.ratio = 0.25, .return_mask = &mask});
  EXPECT_THAT(y.data(), testing::IsArray(mask));
  const Array kept = array::not_equal(mask, 0);
  EXPECT_NEAR(array::mean(kept).item<double>(), 0.75, 0.01);
  EXPECT_THAT(mask, testing::IsClose(
                        array::where(kept, 1 / 0.75, array::zeros_like(mask))));
  y.set_grad(array::ones_like(y.data()));
  y.backward();
  EXPECT_THAT(x.grad(), testing::IsArray(mask));
}

TEST_P(DropoutTest, DrawsAnewEachTimeAndTheSameAfterASeed) {
  const Variable x(array::ones({100}));
  array::random::seed(5, device());
  const Array first = dropout(x).data();
  const Array second = dropout(x).data();
  array::random::seed(5, device());
  EXPECT_THAT(dropout(x).data(), testing::IsArray(first));
  EXPECT_TRUE(array::any(array::not_equal(first, second)).item<bool>());
}

// A GPU does not keep the mask.
TEST_P(DropoutTest, ForwardAndBackwardMultiplyByTheMaskThatIsDrawn) {
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32, Dtype::kFloat64}) {
    for (const Shape& shape :
         {Shape{0, 3}, Shape{1}, Shape{64, 3}, Shape{41, 101}}) {
      const Array values = testing::uniform(shape).astype(dtype);
      for (const bool is_transposed : {false, true}) {
        const Variable x(is_transposed ? values.T() : values);
        array::random::seed(3, native_device());
        const Array mask = array::random::generator(native_device())
                               .bernoulli(0.7, x.shape(), dtype, 1 / 0.7);
        array::random::seed(3, device());
        const Variable y = dropout(x, 0.3);
        const Array on_device = mask.to_device(device());
        EXPECT_THAT(y.data(), testing::IsArray(x.data() * on_device));
        const Array gy = testing::uniform(x.shape()).astype(dtype);
        y.set_grad(gy);
        y.backward();
        EXPECT_THAT(x.grad(), testing::IsArray(gy * on_device));
        // The stream goes on where bernoulli's does.
        array::random::seed(3, device());
        Array returned;
        EXPECT_THAT(dropout(x, {.ratio = 0.3, .return_mask = &returned}).data(),
                    testing::IsArray(y.data()));
        EXPECT_THAT(returned, testing::IsArray(on_device));
        EXPECT_EQ(array::random::generator(device()).state().position,
                  array::random::generator(native_device()).state().position);
      }
    }
  }
}

TEST_P(DropoutTest, IsTheVariableInTestMode) {
  const auto scope = using_config(&Config::train, false);
  const Variable x(array::ones({3}));
  Array mask = array::ones({1});
  EXPECT_TRUE(dropout(x, {.return_mask = &mask}).is_same(x));
  EXPECT_FALSE(mask.defined());
}

TEST(DropoutErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::ones({3}));
  for (const double ratio : {-0.1, 1.0, double(NAN)}) {
    EXPECT_THAT(error_of<ValueError>([&] { dropout(x, {.ratio = ratio}); }),
                HasSubstr("dropout: expected ratio in [0, 1), got "));
  }
  EXPECT_THAT(
      error_of<InvalidType>([&] { dropout(x, {.mask = array::ones({4})}); }),
      HasSubstr("Expect: mask has the shape, dtype and device of x\n"
                "Actual: mask float64 (4,) on native:0"));
  EXPECT_THAT(
      error_of<InvalidType>([] { dropout(Variable(array::arange(3))); }),
      HasSubstr("Expect: x.dtype is floating"));
}

}  // namespace
}  // namespace catena::functions
