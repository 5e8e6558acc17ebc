#include "catena/functions/rnn/internal/n_step_dropout.h"

#include <gtest/gtest.h>

#include "catena/array/random/random.h"
#include "catena/tests/testing/device_test.h"

namespace catena::functions {
namespace {

class NStepDropoutTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(NStep, NStepDropoutTest, testing::every_device(),
                         testing::device_name);

TEST_P(NStepDropoutTest, SeedsFollowTheGenerator) {
  array::random::Generator generator(1, device());
  NStepDropoutSeed seeds;
  const auto first = seeds.next(generator);
  ASSERT_TRUE(first);
  EXPECT_FALSE(seeds.next(generator));
  generator.uniform(0, 1, {100});
  EXPECT_FALSE(seeds.next(generator));
  // Two that follow one generator differ, and from its own numbers.
  const auto other = NStepDropoutSeed().next(generator);
  ASSERT_TRUE(other);
  EXPECT_NE(*other, *first);

  generator.seed(1);
  EXPECT_EQ(seeds.next(generator), first);
  generator.seed(2);
  const auto second = seeds.next(generator);
  ASSERT_TRUE(second);
  EXPECT_NE(*second, *first);
  // Even if draws have passed the place at which it was asked before.
  generator.seed(2);
  generator.uniform(0, 1, {1000});
  const auto later = seeds.next(generator);
  ASSERT_TRUE(later);
  EXPECT_NE(*later, *second);
}

}  // namespace
}  // namespace catena::functions
