#pragma once

#include <cstdint>
#include <string>

#include "catena/training/summary.h"
#include "catena/training/trigger.h"

namespace catena::training::triggers {

struct EarlyStoppingTriggerOptions {
  NamedFieldsOnly keywords = {};
  AnyTrigger check_trigger = {1, "epoch"};
  std::string monitor = "main/loss";
  // The number of consecutive checks without improvement before training stops.
  int64_t patients = 3;
  // "max", "min", or "auto": the larger is better if "accuracy" is part of the
  // monitor's name.
  std::string mode = "auto";
  AnyTrigger max_trigger = {100, "epoch"};
  // Whether to print the reason for stopping to standard output.
  bool verbose = false;
};

// A stop trigger that fires when a value has stopped improving: each check
// compares the value's mean since the last check.
class EarlyStoppingTrigger final : public Trigger {
 public:
  // Throws ValueError for another mode or patients < 1.
  explicit EarlyStoppingTrigger(
      const EarlyStoppingTriggerOptions& options = {});

  bool operator()(Trainer& trainer) override;
  void serialize(const Serializer& serializer) override;
  std::optional<TrainingLength> get_training_length() const override {
    return options_.max_trigger.get_training_length();
  }

 private:
  EarlyStoppingTriggerOptions options_;
  bool larger_is_better_;
  DictSummary summary_;
  double best_;
  int64_t count_ = 0;
};

}  // namespace catena::training::triggers
