#include "catena/functions/math/identity.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class IdentityTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Identity, IdentityTest, testing::every_device(),
                         testing::device_name);

TEST_P(IdentityTest, GradientsMatchFiniteDifferences) {
  testing::check_function_gradients(
      [](const Variable& x) { return identity(x); },
      {testing::uniform({2, 3})});
}

TEST_P(IdentityTest, MakesAVariableOfTheSameArray) {
  const Variable x(testing::uniform({2}));
  const Variable y = identity(x);
  EXPECT_TRUE(y.data().is_same(x.data()));
  EXPECT_FALSE(y.is_same(x));
}

TEST_P(IdentityTest, NodeIsAppliedOnce) {
  const Variable x(testing::uniform({2}));
  const auto node = Ref<FunctionNode>::adopt(new Identity);
  const Variable inputs[] = {x};
  const Variable y = node->apply(inputs)[0];
  EXPECT_EQ(y.creator_node(), node.get());
  EXPECT_THAT(
      ::catena::testing::error_of<ValueError>([&] { node->apply(inputs); }),
      ::testing::HasSubstr("identity"));
}

}  // namespace
}  // namespace catena::functions
