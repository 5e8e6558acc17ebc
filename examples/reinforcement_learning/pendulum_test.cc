#include "catena/examples/reinforcement_learning/pendulum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace catena::examples {
namespace {

// Computed by hand.
TEST(PendulumTest, AStepIsThatOfThePhysics) {
  Pendulum env;
  env.set_state({.theta = 2, .theta_dot = -1.5});
  const Pendulum::Step step = env.step(2);
  EXPECT_NEAR(env.state().theta_dot, -0.5180269298807386, 1e-14);
  EXPECT_NEAR(env.state().theta, 1.974098653505963, 1e-14);
  EXPECT_NEAR(step.reward, -4.229, 1e-14);
  EXPECT_THAT(step.observation,
              ::testing::ElementsAre(::testing::FloatEq(std::cos(1.9740987f)),
                                     ::testing::FloatEq(std::sin(1.9740987f)),
                                     -0.51802695f));
}

TEST(PendulumTest, LimitsTorqueAndSpeed) {
  Pendulum env;
  env.set_state({.theta = 2, .theta_dot = -1.5});
  const double reward = env.step(1000).reward;
  EXPECT_NEAR(reward, -4.229, 1e-14);
  EXPECT_NEAR(env.state().theta_dot, -0.5180269298807386, 1e-14);
  env.set_state({.theta = 2.5, .theta_dot = 7.9});
  env.step(2);
  EXPECT_EQ(env.state().theta_dot, 8);
  EXPECT_NEAR(env.state().theta, 2.9324427054038984, 1e-14);
  env.set_state({.theta = -2.5, .theta_dot = -7.9});
  env.step(-2);
  EXPECT_EQ(env.state().theta_dot, -8);
}

TEST(PendulumTest, RewardsTheShorterWayUp) {
  Pendulum env;
  const auto reward_at = [&](double theta) {
    env.set_state({.theta = theta, .theta_dot = 0});
    return env.step(0).reward;
  };
  constexpr double kPi = std::numbers::pi;
  EXPECT_EQ(reward_at(0), 0);
  EXPECT_NEAR(reward_at(kPi), -kPi * kPi, 1e-12);
  EXPECT_NEAR(reward_at(1.5 * kPi), -kPi * kPi / 4, 1e-12);
  EXPECT_NEAR(reward_at(-20 * kPi - 0.5), -0.25, 1e-12);
}

TEST(PendulumTest, KeepsItsEnergyWithoutTorque) {
  const auto energy = [](const Pendulum::State& state) {
    return state.theta_dot * state.theta_dot / 6 + 5 * std::cos(state.theta);
  };
  Pendulum env;
  env.set_state({.theta = 0.5, .theta_dot = 0});
  const double before = energy(env.state());
  double farthest = 0;
  for (int i = 0; i < 2000; ++i) {
    env.step(0);
    EXPECT_NEAR(energy(env.state()), before, 1.2);
    farthest = std::max(farthest, env.state().theta);
  }
  // It swings to the same height on the other side.
  EXPECT_NEAR(farthest, 2 * std::numbers::pi - 0.5, 0.2);
}

TEST(PendulumTest, StartsAnywhere) {
  std::mt19937_64 random(3);
  Pendulum env;
  double least = 0;
  double greatest = 0;
  for (int i = 0; i < 200; ++i) {
    const Pendulum::Observation start = env.reset(random);
    ASSERT_EQ(start.size(), 3u);
    EXPECT_NEAR(start[0] * start[0] + start[1] * start[1], 1, 1e-6);
    EXPECT_LE(std::abs(start[2]), 1);
    least = std::min(least, env.state().theta);
    greatest = std::max(greatest, env.state().theta);
  }
  EXPECT_LT(least, -3);
  EXPECT_GT(greatest, 3);
}

TEST(PendulumTest, DrawsTheRodWhereItIs) {
  Pendulum env;
  env.set_state({.theta = std::numbers::pi / 2, .theta_dot = 0});
  const Array picture = env.render();
  ASSERT_EQ(picture.shape(), (Shape{3, 80, 80}));
  EXPECT_LT((picture[{1, 40, 60}].item<float>()), 0.5);  // to the right
  EXPECT_EQ((picture[{1, 40, 20}].item<float>()), 1);
}

}  // namespace
}  // namespace catena::examples
