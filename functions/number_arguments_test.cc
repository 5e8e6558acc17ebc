// The number that callers most often choose can be given without its name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/autograd/variable.h"
#include "catena/functions/functions.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using namespace catena;  // as a program may
namespace F = catena::functions;
using catena::testing::IsArray;

Variable five_numbers() {
  return Variable(array::array({-2.0f, -0.5f, 0.0f, 1.0f, 7.0f}));
}

TEST(NumberArgumentsTest, MeansTheOptionOfThatName) {
  const Variable x = five_numbers();
  EXPECT_THAT(F::leaky_relu(x, 0.3).data(),
              IsArray(F::leaky_relu(x, {.slope = 0.3}).data()));
  EXPECT_THAT(F::leaky_relu(x, 0).data(), IsArray(F::relu(x).data()));
  EXPECT_THAT(F::elu(x, 2).data(), IsArray(F::elu(x, {.alpha = 2}).data()));
  EXPECT_THAT(F::softplus(x, 3.0f).data(),
              IsArray(F::softplus(x, {.beta = 3}).data()));
  EXPECT_THAT(F::clipped_relu(x, 6).data(), IsArray(F::relu6(x).data()));
}

TEST(NumberArgumentsTest, IsTheRatioOfWhatIsRandom) {
  const Variable x(array::ones({1000}));
  array::random::seed(1);
  const Variable few = F::dropout(x, 0.1);
  const Variable mixed = F::zoneout(x, few, 0.9);
  array::random::seed(1);
  EXPECT_THAT(few.data(), IsArray(F::dropout(x, {.ratio = 0.1}).data()));
  EXPECT_THAT(mixed.data(), IsArray(F::zoneout(x, few, {.ratio = 0.9}).data()));
}

TEST(NumberArgumentsTest, BracesAreTheDefaults) {
  const Variable x = five_numbers();
  EXPECT_THAT(F::leaky_relu(x, {}).data(), IsArray(F::leaky_relu(x).data()));
  EXPECT_THAT(F::clipped_relu(x, {}).data(),
              IsArray(F::clipped_relu(x, {.z = 20}).data()));
}

}  // namespace
