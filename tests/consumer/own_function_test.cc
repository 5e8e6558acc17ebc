// Tests a function of this project with catena's matchers and gradient checks.

#include <gtest/gtest.h>

#include "catena/array/creation.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/function_gradients.h"

namespace {

namespace F = catena::functions;
namespace xp = catena::array;
using catena::Variable;
using catena::testing::check_function_gradients;
using catena::testing::IsClose;
using catena::testing::uniform;

Variable squared_norm(const Variable& x) { return F::sum(x * x); }

TEST(SquaredNormTest, AddsSquares) {
  const Variable x(xp::array({1.0, 2.0, 3.0}));
  EXPECT_THAT(squared_norm(x).data(), IsClose(xp::array(14.0)));
}

TEST(SquaredNormTest, HasGradients) {
  check_function_gradients(
      [](const auto& x) { return std::vector{squared_norm(x[0])}; },
      {uniform({3, 4})});
}

}  // namespace
