#include "catena/examples/reinforcement_learning/pendulum.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/array/ufunc/ufunc.h"
#include "catena/examples/support/drawing.h"

namespace catena::examples {
namespace {

constexpr double kGravity = 10;
constexpr double kMass = 1;
constexpr double kLength = 1;
constexpr double kSeconds = 0.05;

Pendulum::Observation observe(const Pendulum::State& state) {
  return {static_cast<float>(std::cos(state.theta)),
          static_cast<float>(std::sin(state.theta)),
          static_cast<float>(state.theta_dot)};
}

// The same angle in [-pi, pi).
double normalized(double angle) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle - kTurn * std::floor(angle / kTurn + 0.5);
}

}  // namespace

Pendulum::Observation Pendulum::reset(std::mt19937_64& random) {
  using Uniform = std::uniform_real_distribution<double>;
  state_.theta = Uniform(-std::numbers::pi, std::numbers::pi)(random);
  state_.theta_dot = Uniform(-1, 1)(random);
  return observe(state_);
}

Pendulum::Step Pendulum::step(double torque) {
  auto& [theta, theta_dot] = state_;
  const double u = std::clamp(torque, -kMaxTorque, kMaxTorque);
  const double angle = normalized(theta);
  const double cost =
      angle * angle + 0.1 * theta_dot * theta_dot + 0.001 * u * u;
  // A rod that turns around its end has the moment of inertia m l^2 / 3.
  theta_dot += kSeconds * (1.5 * kGravity / kLength * std::sin(theta) +
                           3 * u / (kMass * kLength * kLength));
  theta += kSeconds * theta_dot;
  theta_dot = std::clamp(theta_dot, -kMaxSpeed, kMaxSpeed);
  return {observe(state_), -cost};
}

Array Pendulum::render() const {
  constexpr double kPixels = 32;  // the rod's
  Picture picture(80, 80, {255, 255, 255});
  picture.draw({.x0 = 40,
                .y0 = 40,
                .x1 = 40 + kPixels * std::sin(state_.theta),
                .y1 = 40 - kPixels * std::cos(state_.theta),
                .width = 8},
               {200, 70, 70});
  picture.draw("circle", {.x = 40, .y = 40, .radius = 3}, {40, 40, 40});
  return picture.image() / 255;
}

}  // namespace catena::examples
