#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "catena/array/array.h"

namespace catena::examples {

// A pendulum that has to be swung up and kept upright by a motor too weak to
// lift it at once, with the constants of Gym's Pendulum-v0: a rod of length 1
// and mass 1, g = 10, steps of 0.05 s, and
//
//   reward = -(theta^2 + 0.1 theta_dot^2 + 0.001 torque^2)
//
// where theta is in [-pi, pi). An episode has no end of its own.
class Pendulum {
 public:
  static constexpr int64_t kObservationSize = 3;
  static constexpr double kMaxTorque = 2;
  static constexpr double kMaxSpeed = 8;

  struct State {
    double theta;  // 0 is upright, clockwise, in radians
    double theta_dot;
  };

  // What an agent sees: cos(theta), sin(theta), theta_dot.
  using Observation = std::vector<float>;
  struct Step {
    Observation observation;
    double reward;
  };

  // Starts an episode: theta is drawn from [-pi, pi), theta_dot from [-1, 1).
  Observation reset(std::mt19937_64& random);
  // The torque is limited to [-kMaxTorque, kMaxTorque].
  Step step(double torque);

  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

  // A picture of the state, (3, 80, 80), float32, in [0, 1].
  Array render() const;

 private:
  State state_ = {};
};

}  // namespace catena::examples
