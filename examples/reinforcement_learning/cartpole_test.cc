#include "catena/examples/reinforcement_learning/cartpole.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/array/core/error.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/error_of.h"

namespace catena::examples {
namespace {

using ::catena::testing::error_of;

constexpr double kDegree = std::numbers::pi / 180;

// Solved by hand for both accelerations from Lagrange's equations.
TEST(CartPoleTest, AStepIsThatOfThePhysics) {
  const CartPole::State start = {
      .x = 0.1, .x_dot = 0.2, .theta = 0.05, .theta_dot = -0.3};
  CartPole env;
  env.set_state(start);
  const CartPole::Step right = env.step(1);
  EXPECT_NEAR(env.state().x, 0.104, 1e-14);
  EXPECT_NEAR(env.state().x_dot, 0.39437493421822034, 1e-14);
  EXPECT_NEAR(env.state().theta, 0.044, 1e-14);
  EXPECT_NEAR(env.state().theta_dot, -0.5765041484814736, 1e-14);
  EXPECT_EQ(right.reward, 1);
  EXPECT_FALSE(right.is_done);
  EXPECT_THAT(right.observation, ::testing::ElementsAre(0.104f, 0.39437494f,
                                                        0.044f, -0.57650415f));
  env.set_state(start);
  env.step(0);
  EXPECT_NEAR(env.state().x_dot, 0.004202345356037446, 1e-14);
  EXPECT_NEAR(env.state().theta_dot, 0.008023313606151439, 1e-14);
}

// Kinetic and potential energy of a cart of mass 1 and a rod of mass 0.1 and
// length 1.
double energy(const CartPole::State& state) {
  const double turning = 0.5 * state.theta_dot;
  return 0.5 * state.x_dot * state.x_dot +
         0.05 * (state.x_dot * state.x_dot +
                 2 * state.x_dot * turning * std::cos(state.theta) +
                 4.0 / 3 * turning * turning) +
         0.1 * 9.8 * 0.5 * std::cos(state.theta);
}

TEST(CartPoleTest, EnergyChangesByTheWorkOfTheForce) {
  for (const int64_t action : {0, 1}) {
    CartPole env;
    env.set_state({.x = 0, .x_dot = 0.5, .theta = 0.8, .theta_dot = -2});
    const double before = energy(env.state());
    double way = 0;
    for (int i = 0; i < 25; ++i) {
      const double x_dot = env.state().x_dot;
      env.step(action);
      way += 0.02 * (x_dot + env.state().x_dot) / 2;
    }
    const double work = action == 1 ? 10 * way : -10 * way;
    EXPECT_GT(std::abs(work), 5);
    EXPECT_NEAR(energy(env.state()) - before, work, 0.03 * std::abs(work));
  }
}

TEST(CartPoleTest, AnEpisodeEndsOutsideOfTheLimits) {
  CartPole env;
  const auto is_done_at = [&](double x, double degrees) {
    env.set_state(
        {.x = x, .x_dot = 0, .theta = degrees * kDegree, .theta_dot = 0});
    return env.step(0).is_done;
  };
  EXPECT_FALSE(is_done_at(2.39, 0));
  EXPECT_TRUE(is_done_at(2.41, 0));
  EXPECT_FALSE(is_done_at(-2.39, 0));
  EXPECT_TRUE(is_done_at(-2.41, 0));
  EXPECT_FALSE(is_done_at(0, 11.9));
  EXPECT_TRUE(is_done_at(0, 12.1));
  EXPECT_TRUE(is_done_at(0, -12.1));
}

TEST(CartPoleTest, StartsNearTheBalanceWhereNobodyKeepsIt) {
  std::mt19937_64 random(2);
  CartPole env;
  double longest = 0;
  for (int episode = 0; episode < 100; ++episode) {
    for (const float value : env.reset(random))
      EXPECT_LE(std::abs(value), 0.05);
    int steps = 1;
    while (!env.step(1).is_done) ++steps;
    longest = std::max<double>(longest, steps);
  }
  EXPECT_LE(longest, 11);
}

TEST(CartPoleTest, RefusesOtherActions) {
  EXPECT_THAT(error_of<ValueError>([] { CartPole().step(2); }),
              "CartPole::step: expected action 0 or 1, got 2");
}

TEST(CartPoleTest, DrawsThePoleWhereItIs) {
  CartPole env;
  env.set_state({.x = -1, .x_dot = 0, .theta = -0.2, .theta_dot = 0});
  const Array left = env.render();
  env.set_state({.x = 1, .x_dot = 0, .theta = 0.2, .theta_dot = 0});
  const Array right = env.render();
  ASSERT_EQ(left.shape(), (Shape{3, 80, 120}));
  EXPECT_LT(
      array::mean(left[{Slice(), Slice(), Slice(0, 60)}]).item<float>(),
      array::mean(left[{Slice(), Slice(), Slice(60, 120)}]).item<float>());
  const Array mirrored =
      right[{Slice(), Slice(), Slice(std::nullopt, std::nullopt, -1)}];
  EXPECT_LT(array::max(array::abs(left - mirrored)).item<float>(), 1e-3);
}

}  // namespace
}  // namespace catena::examples
