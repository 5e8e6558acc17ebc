#include "catena/functions/array/broadcast_to.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class BroadcastToTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(BroadcastTo, BroadcastToTest, testing::every_device(),
                         testing::device_name);

TEST_P(BroadcastToTest, GradientsMatchFiniteDifferences) {
  const auto f = [](const Variable& x) { return broadcast_to(x, {2, 3, 4}); };
  testing::check_function_gradients(f, {testing::uniform({3, 1})});
  testing::check_function_gradients(f, {testing::uniform({})});
  testing::check_function_gradients(
      [](const Variable& x) {
        return broadcast_to(x, {0, 3});
      },
      {testing::uniform({1, 3})});
}

TEST_P(BroadcastToTest, OfItsOwnShapeIsTheVariable) {
  const Variable x(testing::uniform({2, 3}));
  EXPECT_TRUE(broadcast_to(x, {2, 3}).is_same(x));
}

TEST(BroadcastToErrorTest, NamesTheShapes) {
  EXPECT_THAT(error_of<InvalidType>([] {
                broadcast_to(Variable(array::zeros({3})), {2, 4});
              }),
              HasSubstr("Expect: x.shape broadcasts to (2, 4)\nActual: (3,)"));
}

}  // namespace
}  // namespace catena::functions
