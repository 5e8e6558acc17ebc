#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/links/observation.h"
#include "catena/serializers/serializer.h"
#include "catena/training/summary.h"
#include "catena/training/trigger.h"

namespace catena::training {

// Gathers values in each iteration, and gives their means whenever a trigger
// fires; what logs and plots are made of.
class IntervalSummary {
 public:
  // `keys` are the names to gather; defaults to all that stand for one number.
  explicit IntervalSummary(
      AnyTrigger trigger,
      std::optional<std::vector<std::string>> keys = std::nullopt);

  // The means since the trigger fired last, when it fires now.
  std::optional<Observation> add(const Observation& values, Trainer& trainer);

  // _trigger and _summary.
  void serialize(const Serializer& serializer);

 private:
  AnyTrigger trigger_;
  std::optional<std::vector<std::string>> keys_;
  DictSummary summary_;
};

}  // namespace catena::training
