#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "catena/array/array.h"

namespace catena::examples {

// A cart on a track, with a pole on a hinge that has to be kept upright by
// pushing the cart (Barto, Sutton and Anderson, 1983). The constants are those
// of Gym's CartPole: every step takes 0.02 s and has a reward of 1, and the
// episode is over when the cart is more than 2.4 from the center or the pole
// more than 12 degrees from upright. Limiting its time is left to the caller.
class CartPole {
 public:
  static constexpr int64_t kObservationSize = 4;
  static constexpr int64_t kActions = 2;  // push to the left, to the right

  struct State {
    double x;          // of the cart
    double x_dot;      // its velocity
    double theta;      // of the pole: 0 is upright, clockwise, in radians
    double theta_dot;  // its velocity
  };

  // What an agent sees: x, x_dot, theta, theta_dot.
  using Observation = std::vector<float>;
  struct Step {
    Observation observation;
    double reward;
    bool is_done;
  };

  // Starts an episode: all values are drawn from [-0.05, 0.05).
  Observation reset(std::mt19937_64& random);
  // Throws ValueError unless action is 0 or 1.
  Step step(int64_t action);

  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

  // A picture of the state, (3, 80, 120), float32, in [0, 1].
  Array render() const;

 private:
  State state_ = {};
};

}  // namespace catena::examples
