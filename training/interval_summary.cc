#include "catena/training/interval_summary.h"

#include <utility>

namespace catena::training {

IntervalSummary::IntervalSummary(AnyTrigger trigger,
                                 std::optional<std::vector<std::string>> keys)
    : trigger_(std::move(trigger)), keys_(std::move(keys)) {}

std::optional<Observation> IntervalSummary::add(const Observation& values,
                                                Trainer& trainer) {
  if (keys_) {
    Observation chosen;
    for (const std::string& key : *keys_) {
      if (const auto* value = values.find(key)) chosen.set(key, *value);
    }
    summary_.add(chosen);
  } else {
    summary_.add(values);
  }
  if (!trigger_(trainer)) return std::nullopt;
  return std::exchange(summary_, DictSummary()).compute_mean();
}

void IntervalSummary::serialize(const Serializer& serializer) {
  trigger_.serialize(serializer["_trigger"]);
  summary_.serialize(serializer["_summary"]);
}

}  // namespace catena::training
