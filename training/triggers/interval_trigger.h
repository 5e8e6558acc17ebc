#pragma once

#include <string_view>

#include "catena/training/trigger.h"
#include "catena/training/triggers/progress_marks.h"

namespace catena::training::triggers {

// Fires every `period` epochs or iterations: whenever floor(x / period) differs
// from the last call, where x is the number of iterations or of epochs with
// their fraction. It may thus fire late, between two batches, but never misses.
// The quotient is rounded like Python's //.
class IntervalTrigger final : public Trigger {
 public:
  // Throws ValueError unless period > 0 and the unit is "epoch" or "iteration".
  IntervalTrigger(double period, std::string_view unit);

  bool operator()(Trainer& trainer) override;
  void serialize(const Serializer& serializer) override {
    marks_.serialize(serializer);
  }
  std::optional<TrainingLength> get_training_length() const override {
    return TrainingLength{period_, marks_.unit()};
  }

 private:
  double period_;
  ProgressMarks marks_;
};

}  // namespace catena::training::triggers
