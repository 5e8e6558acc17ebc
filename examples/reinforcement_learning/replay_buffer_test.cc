#include "catena/examples/reinforcement_learning/replay_buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena::examples {
namespace {

using ::catena::testing::error_of;

// All of its values tell which one it is.
Transition numbered(float i) {
  return {.observation = {i, i + 0.25f},
          .action = {-i},
          .reward = 10 * i,
          .next_observation = {i + 1, i + 1.25f},
          .is_terminal = i == 3};
}

TEST(ReplayBufferTest, AMinibatchHasTheFieldsOfItsTransitions) {
  ReplayBuffer buffer;
  for (const float i : {1, 2, 3, 4}) buffer.append(numbered(i));
  EXPECT_EQ(buffer.size(), 4);
  std::mt19937_64 random(0);
  const Transitions batch = buffer.sample(50, random);
  ASSERT_EQ(batch.observation.shape(), (Shape{50, 2}));
  ASSERT_EQ(batch.next_observation.shape(), (Shape{50, 2}));
  ASSERT_EQ(batch.action.shape(), (Shape{50, 1}));
  ASSERT_EQ(batch.reward.shape(), (Shape{50}));
  ASSERT_EQ(batch.is_terminal.shape(), (Shape{50}));
  std::set<float> drawn;
  for (int64_t n = 0; n < 50; ++n) {
    const auto i = batch.observation[{n, 0}].item<float>();
    drawn.insert(i);
    EXPECT_EQ((batch.observation[{n, 1}].item<float>()), i + 0.25f);
    EXPECT_EQ((batch.action[{n, 0}].item<float>()), -i);
    EXPECT_EQ((batch.reward[n].item<float>()), 10 * i);
    EXPECT_EQ((batch.next_observation[{n, 0}].item<float>()), i + 1);
    EXPECT_EQ((batch.next_observation[{n, 1}].item<float>()), i + 1.25f);
    EXPECT_EQ((batch.is_terminal[n].item<float>()), i == 3 ? 1 : 0);
  }
  EXPECT_EQ(drawn, (std::set<float>{1, 2, 3, 4}));
}

TEST(ReplayBufferTest, ForgetsTheOldestTransitions) {
  ReplayBuffer buffer(3);
  for (float i = 1; i <= 8; ++i) buffer.append(numbered(i));
  EXPECT_EQ(buffer.size(), 3);
  std::mt19937_64 random(0);
  std::set<float> drawn;
  for (const float reward :
       buffer.sample(100, random).reward.to_vector<float>()) {
    drawn.insert(reward / 10);
  }
  EXPECT_EQ(drawn, (std::set<float>{6, 7, 8}));
}

TEST(ReplayBufferTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(error_of<ValueError>([] { ReplayBuffer(0); }),
              "ReplayBuffer: expected a capacity of at least 1, got 0");
  ReplayBuffer buffer;
  std::mt19937_64 random(0);
  EXPECT_THAT(error_of<ValueError>([&] { buffer.sample(1, random); }),
              "ReplayBuffer::sample: there is no transition");
  buffer.append(numbered(1));
  Transition longer = numbered(2);
  longer.next_observation.push_back(0);
  EXPECT_THAT(error_of<ValueError>([&] { buffer.append(longer); }),
              "ReplayBuffer: expected observations of 2 values and an "
              "action of 1, got 2, 3 and 1");
}

}  // namespace
}  // namespace catena::examples
