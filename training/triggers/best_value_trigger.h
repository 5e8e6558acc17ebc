#pragma once

#include <functional>
#include <optional>
#include <string>

#include "catena/training/summary.h"
#include "catena/training/trigger.h"

namespace catena::training::triggers {

// Fires when the mean of an observed value, over the interval since `trigger`
// last fired, is the best so far. For snapshots of the best model:
//   trainer.extend(extensions::snapshot_object(model, "best"),
//                  {.trigger = MaxValueTrigger("validation/main/accuracy")});
class BestValueTrigger : public Trigger {
 public:
  // Whether `value` is better than `best`.
  using Compare = std::function<bool(double best, double value)>;

  // Throws ValueError when there is no comparison.
  BestValueTrigger(std::string key, Compare compare,
                   AnyTrigger trigger = {1, "epoch"});

  // Throws ValueError when the value was not observed in an interval.
  bool operator()(Trainer& trainer) override;
  void serialize(const Serializer& serializer) override;

  // The best mean so far; nullopt before the first interval.
  const std::optional<double>& best_value() const { return best_value_; }

 private:
  std::string key_;
  Compare compare_;
  AnyTrigger interval_trigger_;
  DictSummary summary_;
  std::optional<double> best_value_;
};

// Fire at a new maximum or minimum.
class MaxValueTrigger final : public BestValueTrigger {
 public:
  explicit MaxValueTrigger(std::string key, AnyTrigger trigger = {1, "epoch"});
};
// Fires when a value is lower than ever before.
class MinValueTrigger final : public BestValueTrigger {
 public:
  explicit MinValueTrigger(std::string key, AnyTrigger trigger = {1, "epoch"});
};

}  // namespace catena::training::triggers
