#pragma once

#include <string_view>
#include <vector>

#include "catena/training/trigger.h"
#include "catena/training/triggers/progress_marks.h"

namespace catena::training::triggers {

// Fires when the number of epochs (with their fraction) or iterations reaches
// or passes one of the given points.
class ManualScheduleTrigger final : public Trigger {
 public:
  // Throws ValueError unless the unit is "epoch" or "iteration" and all points
  // are finite.
  ManualScheduleTrigger(std::vector<double> points, std::string_view unit);

  bool operator()(Trainer& trainer) override;
  void serialize(const Serializer& serializer) override {
    marks_.serialize(serializer);
  }

 private:
  std::vector<double> points_;
  ProgressMarks marks_;
};

struct OnceTriggerOptions {
  NamedFieldsOnly keywords = {};
  // Whether it fires once more after training is resumed.
  bool call_on_resume = false;
};

// Fires at the first call, and never again.
class OnceTrigger final : public Trigger {
 public:
  explicit OnceTrigger(const OnceTriggerOptions& options = {})
      : is_resumed_(options.call_on_resume) {}

  // Whether it will never fire again.
  bool finished() const { return !is_first_ && !is_resumed_; }

  bool operator()(Trainer& trainer) override;
  void serialize(const Serializer& serializer) override;

 private:
  bool is_first_ = true;
  bool is_resumed_;
};

// Fires every `period` seconds of training.
class TimeTrigger final : public Trigger {
 public:
  // Throws ValueError unless period > 0.
  explicit TimeTrigger(double period);

  bool operator()(Trainer& trainer) override;
  void serialize(const Serializer& serializer) override;

 private:
  double period_;
  double next_time_;
};

}  // namespace catena::training::triggers
