#include "catena/training/triggers/best_value_trigger.h"

#include "catena/array/core/error.h"
#include "catena/training/trainer.h"

namespace catena::training::triggers {

BestValueTrigger::BestValueTrigger(std::string key, Compare compare,
                                   AnyTrigger trigger)
    : key_(std::move(key)),
      compare_(std::move(compare)),
      interval_trigger_(std::move(trigger)) {
  if (!compare_) {
    raise<ValueError>("BestValueTrigger: expected a comparison, got none");
  }
}

bool BestValueTrigger::operator()(Trainer& trainer) {
  if (const ObservedValue* value = trainer.observation().find(key_)) {
    summary_.add({{key_, *value}});
  }
  if (!interval_trigger_(trainer)) return false;
  if (summary_.empty()) {
    raise<ValueError>("BestValueTrigger: expected '", key_,
                      "' to be observed in each interval, got none");
  }
  const double value = summary_.compute_mean()[key_].as_double();
  summary_ = DictSummary();
  if (best_value_ && !compare_(*best_value_, value)) return false;
  best_value_ = value;
  return true;
}

void BestValueTrigger::serialize(const Serializer& serializer) {
  interval_trigger_.serialize(serializer["interval_trigger"]);
  summary_.serialize(serializer["summary"]);
  if (serializer.is_writer()) {
    // nullopt before the first interval, as in Chainer.
    if (!best_value_) return serializer.write("best_value", {});
    return serializer("best_value", *best_value_);
  }
  const SerializedValue* entry = serializer.read("best_value");
  if (entry == nullptr) return;
  std::optional<double> best;
  if (!std::holds_alternative<std::monostate>(*entry)) {
    best = serializer.number<double>("best_value");
  }
  serializer.on_commit([this, best] { best_value_ = best; });
}

MaxValueTrigger::MaxValueTrigger(std::string key, AnyTrigger trigger)
    : BestValueTrigger(std::move(key), std::less<double>(),
                       std::move(trigger)) {}

MinValueTrigger::MinValueTrigger(std::string key, AnyTrigger trigger)
    : BestValueTrigger(std::move(key), std::greater<double>(),
                       std::move(trigger)) {}

}  // namespace catena::training::triggers
