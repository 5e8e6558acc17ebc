#include "catena/functions/normalization/decorrelated_batch_normalization.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class DecorrelatedTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Decorrelated, DecorrelatedTest,
                         testing::every_device(), testing::device_name);

TEST_P(DecorrelatedTest, GradientsMatchFiniteDifferences) {
  testing::check_function_gradients(
      [](const Variable& x) {
        return decorrelated_batch_normalization(x, {.groups = 2, .eps = 0.1});
      },
      {testing::uniform({3, 4, 2})});
  testing::check_function_gradients(
      [](const Variable& x) {
        return decorrelated_batch_normalization(x, {.groups = 1});
      },
      {testing::uniform({8, 3})});
  const Array mean = testing::uniform({2, 2}, -1, 1, Dtype::kFloat64, 1);
  const Array projection =
      testing::uniform({2, 2, 2}, -1, 1, Dtype::kFloat64, 2);
  testing::check_function_gradients(
      [&](const Variable& x) {
        return fixed_decorrelated_batch_normalization(x, mean, projection,
                                                      {.groups = 2});
      },
      {testing::uniform({3, 4, 2})});
}

// A recorded gradient is computed by other code than one that is not.
TEST_P(DecorrelatedTest, RecordedGradientsAreTheSame) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat64}) {
    const Variable x(testing::uniform({3, 4, 2}, -1, 1, dtype));
    const Variable gy(testing::uniform({3, 4, 2}, -1, 1, dtype, 1));
    const auto gradient = [&](bool recorded) {
      const Variable y =
          decorrelated_batch_normalization(x, {.groups = 2, .eps = 0.1});
      return catena::grad(
          {y}, {x},
          {.grad_outputs = {gy}, .enable_double_backprop = recorded})[0];
    };
    EXPECT_EQ(gradient(true).dtype(), dtype);
    EXPECT_THAT(gradient(true).data(),
                testing::IsClose(gradient(false).data()));
  }
}

// Equal eigenvalues have no eigenvectors of their own.
TEST_P(DecorrelatedTest, SecondDerivativesOfEqualVariancesAreFinite) {
  const Variable x(array::array({{1., 1.}, {1., -1.}, {-1., 1.}, {-1., -1.}}));
  const Variable gy(testing::uniform({4, 2}));
  const Variable y = decorrelated_batch_normalization(x, {.groups = 1});
  const Variable gx = catena::grad(
      {y}, {x}, {.grad_outputs = {gy}, .enable_double_backprop = true})[0];
  const Variable ggx(testing::uniform({4, 2}, -1, 1, Dtype::kFloat64, 1));
  const Array second =
      catena::grad({gx}, {x}, {.grad_outputs = {ggx}})[0].data();
  EXPECT_TRUE(array::all(array::isfinite(second)).item<bool>());
}

TEST(DecorrelatedErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 4}));
  EXPECT_THAT(
      error_of<ValueError>(
          [&] { decorrelated_batch_normalization(x, {.groups = 3}); }),
      HasSubstr("expected groups that divide the channels of x (2, 4), got 3"));
  EXPECT_THAT(error_of<ValueError>([&] {
                decorrelated_batch_normalization(x, {.groups = 2, .eps = -1});
              }),
              HasSubstr("got -1"));
  EXPECT_THAT(
      error_of<ValueError>([&] {
        decorrelated_batch_normalization(
            x, {.groups = 2, .running_mean = array::zeros({4})});
      }),
      HasSubstr("expected running_mean floating (2, 2), got float64 (4,)"));
  EXPECT_THAT(error_of<ValueError>([&] {
                fixed_decorrelated_batch_normalization(x, array::zeros({2, 2}),
                                                       array::zeros({2, 2}),
                                                       {.groups = 2});
              }),
              HasSubstr("expected projection floating (2, 2, 2)"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                decorrelated_batch_normalization(Variable(array::zeros({2})));
              }),
              HasSubstr("got shape (2,)"));
}

}  // namespace
}  // namespace catena::functions
