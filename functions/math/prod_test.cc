#include "catena/functions/math/prod.h"

#include <gmock/gmock.h>

#include <optional>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/math/cumprod.h"
#include "catena/functions/math/cumsum.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class ProdTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Prod, ProdTest, testing::every_device(),
                         testing::device_name);

// Rows with no zero, one and two.
Array with_zeros() {
  return array::array(
      {{0.5, -0.8, 1.2, 0.7}, {0.4, 0.0, -1.1, 0.9}, {0.0, 0.6, 0.0, -0.7}});
}

TEST_P(ProdTest, GradientsMatchFiniteDifferences) {
  for (const AxisSet& axis : {AxisSet(), AxisSet(1), AxisSet{0, -1}}) {
    for (const bool keepdims : {false, true}) {
      const auto f = [&](const Variable& x) {
        return prod(x, {.axis = axis, .keepdims = keepdims});
      };
      testing::check_function_gradients(f, {testing::uniform({2, 3, 2})});
      testing::check_function_gradients(f, {testing::uniform({2, 0, 2})});
    }
  }
  testing::check_function_gradients(
      [](const Variable& x) { return prod(x, {.axis = 1}); }, {with_zeros()});
}

TEST_P(ProdTest, RunningResultsHaveGradients) {
  for (const std::optional<int64_t> axis :
       {std::optional<int64_t>(), {0}, {-1}}) {
    const auto f = [&](const Variable& x) {
      return Variables{cumsum(x, axis), cumprod(x, axis)};
    };
    testing::check_function_gradients(f, {testing::away_from_zero({3, 5})});
    testing::check_function_gradients(f, {with_zeros()});
    testing::check_function_gradients(f, {testing::uniform({2, 0})});
  }
  testing::check_function_gradients(
      [](const Variable& x) { return exclusive_cumprod(x, 0); },
      {with_zeros()});
}

TEST_P(ProdTest, GradientOfCumprodIsTheSameWithAndWithoutDivision) {
  const Array x = testing::away_from_zero({2, 9}, 0.5, 1.5);
  const Array gy = testing::uniform({2, 9});
  const auto gradient = [&](bool recorded) {
    const Variable v(x);
    return grad({cumprod(v, 1)}, {v},
                {.grad_outputs = {as_variable(gy)},
                 .enable_double_backprop = recorded})[0]
        .data();
  };
  EXPECT_THAT(gradient(false),
              testing::IsClose(gradient(true), {.rtol = 1e-12, .atol = 1e-12}));
}

TEST(ProdErrorTest, NamesFunctionAndAxis) {
  const Variable x(array::zeros({2, 3}));
  const Variable integers(array::arange(3));
  EXPECT_THAT(error_of<InvalidType>([&] { prod(x, {.axis = 2}); }),
              HasSubstr("prod (Forward)\n\nExpect: x.ndim > 2"));
  EXPECT_THAT(error_of<ValueError>([&] {
                prod(x, {.axis = {1, -1}});
              }),
              HasSubstr("prod"));
  EXPECT_THAT(error_of<InvalidType>([&] { prod(integers); }),
              HasSubstr("Expect: x.dtype is floating"));
  EXPECT_THAT(error_of<InvalidType>([&] { cumsum(x, 2); }),
              HasSubstr("cumsum (Forward)\n\nExpect: x.ndim > 2"));
  EXPECT_THAT(error_of<InvalidType>([&] { cumsum(integers); }),
              HasSubstr("Expect: x.dtype is floating"));
  EXPECT_THAT(error_of<InvalidType>([&] { cumprod(x, -3); }),
              HasSubstr("cumprod (Forward)\n\nExpect: x.ndim >= 3"));
  EXPECT_THAT(error_of<InvalidType>([&] { cumprod(integers); }),
              HasSubstr("Expect: x.dtype is floating"));
}

}  // namespace
}  // namespace catena::functions
