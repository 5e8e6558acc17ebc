#include "catena/training/triggers/early_stopping_trigger.h"

#include <iostream>
#include <limits>

#include "catena/array/core/error.h"
#include "catena/training/trainer.h"

namespace catena::training::triggers {

EarlyStoppingTrigger::EarlyStoppingTrigger(
    const EarlyStoppingTriggerOptions& options)
    : options_(options) {
  const std::string& mode = options_.mode;
  if (mode != "max" && mode != "min" && mode != "auto") {
    raise<ValueError>(
        "EarlyStoppingTrigger: expected the mode 'max', 'min' or 'auto', got '",
        mode, "'");
  }
  if (options_.patients < 1) {
    raise<ValueError>("EarlyStoppingTrigger: expected patients >= 1, got ",
                      options_.patients);
  }
  larger_is_better_ =
      mode == "max" || (mode == "auto" &&
                        options_.monitor.find("accuracy") != std::string::npos);
  const double inf = std::numeric_limits<double>::infinity();
  best_ = larger_is_better_ ? -inf : inf;
}

bool EarlyStoppingTrigger::operator()(Trainer& trainer) {
  const std::string& key = options_.monitor;
  if (const ObservedValue* value = trainer.observation().find(key)) {
    summary_.add({{key, *value}});
  }
  if (options_.max_trigger(trainer)) return true;
  if (!options_.check_trigger(trainer) || summary_.empty()) return false;
  const double value = summary_.compute_mean()[key].as_double();
  summary_ = DictSummary();
  if (larger_is_better_ ? value > best_ : value < best_) {
    best_ = value;
    count_ = 0;
  } else {
    ++count_;
  }
  if (count_ < options_.patients) return false;
  if (options_.verbose) {
    std::cout << "EarlyStoppingTrigger: " << key
              << " has not become better than " << best_ << " for " << count_
              << " checks: training stops after "
              << trainer.updater().iteration() << " iterations\n"
              << std::flush;
  }
  return true;
}

void EarlyStoppingTrigger::serialize(const Serializer& serializer) {
  options_.check_trigger.serialize(serializer["interval_trigger"]);
  options_.max_trigger.serialize(serializer["max_trigger"]);
  summary_.serialize(serializer["summary"]);
  serializer("best", best_);
  serializer("count", count_);
}

}  // namespace catena::training::triggers
