#include "catena/functions/math/rounding.h"

#include <gmock/gmock.h>

#include "catena/array/creation.h"
#include "catena/tests/support/function_family.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

constexpr testing::FamilyMember kRoundingFunctions[] = {
    {"ceil", functions::ceil},
    {"floor", functions::floor},
    {"fix", functions::fix},
    {"sign", functions::sign},
};

class RoundingTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, RoundingTest, testing::every_device(),
                         testing::device_name);

TEST_P(RoundingTest, NoGradientFlows) {
  for (const testing::FamilyMember& member : kRoundingFunctions) {
    SCOPED_TRACE(member.name);
    const Variable x(array::array({-1.5, 0.0, 2.5}));
    const Variable y = member.function(x);
    EXPECT_EQ(y.creator_node(), nullptr);
    EXPECT_FALSE(y.requires_grad());
  }
}

TEST_P(RoundingTest, RoundsInFourDirections) {
  const Variable x(array::array({-1.5, -0.5, 0.5, 1.5}));
  const auto expect = [&](Variable (*function)(const Variable&),
                          const NestedList& y) {
    EXPECT_THAT(function(x).data(), testing::IsClose(array::array(y)));
  };
  expect(functions::ceil, {-1.0, 0.0, 1.0, 2.0});
  expect(functions::floor, {-2.0, -1.0, 0.0, 1.0});
  expect(functions::fix, {-1.0, 0.0, 0.0, 1.0});
  expect(functions::sign, {-1.0, -1.0, 1.0, 1.0});
}

}  // namespace
}  // namespace catena::functions
