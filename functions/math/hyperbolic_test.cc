#include "catena/functions/math/hyperbolic.h"

#include <gmock/gmock.h>

#include "catena/array/creation.h"
#include "catena/tests/support/function_family.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

constexpr testing::FamilyMember kHyperbolicFunctions[] = {
    {"cosh", functions::cosh},
    {"sinh", functions::sinh},
    {"arctanh", functions::arctanh, {.low = -0.8, .high = 0.8}},
};

class HyperbolicTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, HyperbolicTest, testing::every_device(),
                         testing::device_name);

TEST_P(HyperbolicTest, HaveGradientsKeepDtypesAndRejectOthers) {
  testing::check_elementwise_family(kHyperbolicFunctions);
}

// The gradients of cosh and sinh are computed by other formulas than sinh and
// cosh themselves.
TEST_P(HyperbolicTest, GradientsAreAccurateNearAndFarFromZero) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat64}) {
    const bool is_double = dtype == Dtype::kFloat64;
    const double far = is_double ? 710.0 : 89.0;
    const Array numbers = array::array(
        {-far, -30.0, -1.0, -1e-6, 0.0, 1e-30, 1e-3, 2.0, 20.0, far}, dtype);
    const auto gradient = [&](Variable (*function)(const Variable&)) {
      const Variable x(numbers);
      const Variable y = function(x);
      y.set_grad(array::ones_like(numbers));
      y.backward();
      return x.grad();
    };
    const testing::Tolerance tolerance{is_double ? 1e-15 : 1e-6, 0};
    EXPECT_THAT(
        gradient(functions::cosh),
        testing::IsClose(functions::sinh(Variable(numbers)).data(), tolerance));
    EXPECT_THAT(
        gradient(functions::sinh),
        testing::IsClose(functions::cosh(Variable(numbers)).data(), tolerance));
  }
}

}  // namespace
}  // namespace catena::functions
