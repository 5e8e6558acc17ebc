#include "catena/examples/reinforcement_learning/replay_buffer.h"

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"

namespace catena::examples {

ReplayBuffer::ReplayBuffer(int64_t capacity) : capacity_(capacity) {
  if (capacity < 1) {
    raise<ValueError>("ReplayBuffer: expected a capacity of at least 1, got ",
                      capacity);
  }
}

void ReplayBuffer::append(const Transition& transition) {
  const Transition& first =
      transitions_.empty() ? transition : transitions_.front();
  const size_t observation_size = first.observation.size();
  if (transition.observation.size() != observation_size ||
      transition.next_observation.size() != observation_size ||
      transition.action.size() != first.action.size()) {
    raise<ValueError>(
        "ReplayBuffer: expected observations of ", observation_size,
        " values and an action of ", first.action.size(), ", got ",
        transition.observation.size(), ", ", transition.next_observation.size(),
        " and ", transition.action.size());
  }
  if (size() < capacity_) {
    transitions_.push_back(transition);
  } else {
    transitions_[static_cast<size_t>(oldest_)] = transition;
    oldest_ = (oldest_ + 1) % capacity_;
  }
}

Transitions ReplayBuffer::sample(int64_t count, std::mt19937_64& random) const {
  if (transitions_.empty()) {
    raise<ValueError>("ReplayBuffer::sample: there is no transition");
  }
  std::uniform_int_distribution<size_t> any(0, transitions_.size() - 1);
  // One row for each transition, so that one copy takes all to the device.
  std::vector<float> rows;
  const auto append = [&](const std::vector<float>& values) {
    rows.insert(rows.end(), values.begin(), values.end());
  };
  for (int64_t i = 0; i < count; ++i) {
    const Transition& transition = transitions_[any(random)];
    append(transition.observation);
    append(transition.next_observation);
    append(transition.action);
    rows.push_back(static_cast<float>(transition.reward));
    rows.push_back(transition.is_terminal ? 1 : 0);
  }
  const Array all = array::array(rows).reshape({count, -1});
  const Slice every;
  const auto o = static_cast<int64_t>(transitions_[0].observation.size());
  const auto a = static_cast<int64_t>(transitions_[0].action.size());
  return {.observation = all[{every, Slice(0, o)}],
          .action = all[{every, Slice(2 * o, 2 * o + a)}],
          .reward = all[{every, 2 * o + a}],
          .next_observation = all[{every, Slice(o, 2 * o)}],
          .is_terminal = all[{every, 2 * o + a + 1}]};
}

}  // namespace catena::examples
