#pragma once

#include <string_view>

#include "catena/training/trigger.h"
#include "catena/training/triggers/progress_marks.h"

namespace catena::training::triggers {

// Fires every `period` epochs or iterations: whenever floor(x / period), x
// being the number of epochs with their fraction or of iterations, differs
// from the last call. So it may fire late, between two batches, but never
// misses. The quotient is rounded as Python's // does.
class IntervalTrigger final : public Trigger {
 public:
  // ValueError unless period > 0 and the unit is "epoch" or "iteration".
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
