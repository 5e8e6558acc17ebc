#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/links/observation.h"
#include "catena/serializers/serializer.h"
#include "catena/training/summary.h"
#include "catena/training/trigger.h"

namespace catena::training {

// Accumulates values in each iteration and returns their means whenever a
// trigger fires. Used by logs and plots.
class IntervalSummary {
 public:
  // `keys` are the names to accumulate; defaults to all scalar values.
  explicit IntervalSummary(
      AnyTrigger trigger,
      std::optional<std::vector<std::string>> keys = std::nullopt);

  // Returns the means since the trigger last fired if it fires now.
  std::optional<Observation> add(const Observation& values, Trainer& trainer);

  // Keys: _trigger and _summary.
  void serialize(const Serializer& serializer);

 private:
  AnyTrigger trigger_;
  std::optional<std::vector<std::string>> keys_;
  DictSummary summary_;
};

}  // namespace catena::training
