#include "catena/functions/activation/gelu.h"

#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/creation.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class GeluTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Gelu, GeluTest, testing::every_device(),
                         testing::device_name);

TEST_P(GeluTest, HasGradientsKeepsDtypesAndRejectsOthers) {
  constexpr testing::UnaryDomain kWide{.low = -3, .high = 3};
  testing::check_elementwise_function([](const Variable& x) { return gelu(x); },
                                      kWide);
  testing::check_elementwise_function(
      [](const Variable& x) { return gelu(x, {.tanh = true}); }, kWide);
}

// x times a probability of 0 is 0 even for an infinite x, and so are all
// derivatives.
TEST_P(GeluTest, FarFromZeroStaysFinite) {
  const Array far = array::array({-INFINITY, -1e4, 1e4}, Dtype::kFloat32);
  const Array slopes = array::array({0.0, 0.0, 1.0}, Dtype::kFloat32);
  for (const bool tanh : {false, true}) {
    const Variable x(far);
    const Variable y = gelu(x, {.tanh = tanh});
    EXPECT_THAT(y.data(), testing::IsArray(array::array({-0.0, -0.0, 1e4},
                                                        Dtype::kFloat32)));
    y.set_grad(array::ones_like(far));
    y.backward({.enable_double_backprop = true});
    const Variable gx = x.grad_var();
    EXPECT_THAT(gx.data(), testing::IsArray(slopes));
    x.cleargrad();
    gx.set_grad(array::ones_like(far));
    gx.backward();
    EXPECT_THAT(x.grad(), testing::IsArray(array::zeros_like(far)));
  }
}

}  // namespace
}  // namespace catena::functions
