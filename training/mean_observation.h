#pragma once

#include <deque>
#include <functional>

#include "catena/links/observation.h"

namespace catena::training {

// What several computations of one iteration report, as means, without waiting
// for a device.
class MeanObservation {
 public:
  // Calls the function, and collects what it tells this thread's current
  // reporter, if there is one.
  Variable collect(const std::function<Variable()>& function);
  // Tells the reporter the mean of each name's numbers, with their weights, and
  // the last of its other values.
  void report() const;

 private:
  std::deque<Observation> parts_;
};

}  // namespace catena::training
