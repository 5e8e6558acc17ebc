#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "catena/array/array.h"

namespace catena::examples {

// A step of an episode.
struct Transition {
  std::vector<float> observation;
  std::vector<float> action;
  double reward;
  std::vector<float> next_observation;
  // Whether nothing can follow: a limit of time is no such end.
  bool is_terminal;
};

// N transitions as float32 arrays.
struct Transitions {
  Array observation;       // (N, O)
  Array action;            // (N, A)
  Array reward;            // (N,)
  Array next_observation;  // (N, O)
  Array is_terminal;       // (N,): 1 or 0
};

// Remembers the last steps, to learn from them in random order: steps that
// follow each other resemble each other too much for a minibatch.
class ReplayBuffer {
 public:
  // Throws ValueError unless capacity is at least 1.
  explicit ReplayBuffer(int64_t capacity = 1'000'000);

  // When it is full, the oldest transition is forgotten. Throws ValueError when
  // sizes differ from those of the first transition.
  void append(const Transition& transition);
  // The number of transitions in it.
  int64_t size() const { return static_cast<int64_t>(transitions_.size()); }
  // `count` of them, drawn with replacement, on the current device. Throws
  // ValueError when there is none.
  Transitions sample(int64_t count, std::mt19937_64& random) const;

 private:
  int64_t capacity_;
  int64_t oldest_ = 0;  // once it is full
  std::vector<Transition> transitions_;
};

}  // namespace catena::examples
