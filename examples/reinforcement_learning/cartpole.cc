#include "catena/examples/reinforcement_learning/cartpole.h"

#include <cmath>
#include <numbers>

#include "catena/array/core/error.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/examples/support/drawing.h"

namespace catena::examples {
namespace {

constexpr double kGravity = 9.8;
constexpr double kCartMass = 1;
constexpr double kPoleMass = 0.1;
constexpr double kMass = kCartMass + kPoleMass;
constexpr double kHalfLength = 0.5;  // of the pole
constexpr double kForce = 10;
constexpr double kSeconds = 0.02;
constexpr double kMaxX = 2.4;
constexpr double kMaxTheta = 12 * std::numbers::pi / 180;

CartPole::Observation observe(const CartPole::State& state) {
  return {static_cast<float>(state.x), static_cast<float>(state.x_dot),
          static_cast<float>(state.theta), static_cast<float>(state.theta_dot)};
}

}  // namespace

CartPole::Observation CartPole::reset(std::mt19937_64& random) {
  std::uniform_real_distribution<double> near_zero(-0.05, 0.05);
  for (double* value :
       {&state_.x, &state_.x_dot, &state_.theta, &state_.theta_dot}) {
    *value = near_zero(random);
  }
  return observe(state_);
}

CartPole::Step CartPole::step(int64_t action) {
  if (action != 0 && action != 1) {
    raise<ValueError>("CartPole::step: expected action 0 or 1, got ", action);
  }
  auto& [x, x_dot, theta, theta_dot] = state_;
  const double force = action == 1 ? kForce : -kForce;
  const double sine = std::sin(theta);
  const double cosine = std::cos(theta);
  // Newton's laws for cart and rod, solved for the accelerations.
  const double push =
      (force + kPoleMass * kHalfLength * theta_dot * theta_dot * sine) / kMass;
  const double theta_ddot =
      (kGravity * sine - cosine * push) /
      (kHalfLength * (4.0 / 3 - kPoleMass * cosine * cosine / kMass));
  const double x_ddot =
      push - kPoleMass * kHalfLength * theta_ddot * cosine / kMass;
  // Euler's method: positions move with the old velocities.
  x += kSeconds * x_dot;
  x_dot += kSeconds * x_ddot;
  theta += kSeconds * theta_dot;
  theta_dot += kSeconds * theta_ddot;
  return {observe(state_), 1,
          std::abs(x) > kMaxX || std::abs(theta) > kMaxTheta};
}

Array CartPole::render() const {
  constexpr double kPixels = 120 / (2 * kMaxX);  // per unit of length
  constexpr double kTop = 60;                    // of the cart
  Picture picture(80, 120, {255, 255, 255});
  const double x = (state_.x + kMaxX) * kPixels;
  const double length = 2 * kHalfLength * kPixels * 1.6;  // to see it better
  picture.draw({.x0 = 0, .y0 = 73, .x1 = 120, .y1 = 73, .width = 1},
               {150, 150, 150});
  picture.draw({.x0 = x - 9, .y0 = 66, .x1 = x + 9, .y1 = 66, .width = 12},
               {40, 70, 120});
  picture.draw({.x0 = x,
                .y0 = kTop,
                .x1 = x + length * std::sin(state_.theta),
                .y1 = kTop - length * std::cos(state_.theta),
                .width = 4},
               {200, 120, 40});
  return picture.image() / 255;
}

}  // namespace catena::examples
