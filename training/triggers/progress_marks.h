#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "catena/serializers/serializer.h"

namespace catena::training {

class Trainer;

namespace triggers {

// Tracks iterations or epochs (with fractions) from one call to the next. Used
// by interval and schedule triggers.
class ProgressMarks {
 public:
  // Throws ValueError, naming `operation`, unless the unit is "epoch" or
  // "iteration".
  ProgressMarks(std::string_view unit, std::string_view operation);

  const std::string& unit() const { return unit_; }

  struct Step {
    double previous;
    double current;
  };
  // The progress at the last call, initially 0, and the current progress.
  Step advance(const Trainer& trainer);

  // Keys: previous_iteration and previous_epoch_detail.
  void serialize(const Serializer& serializer);

 private:
  std::string unit_;
  int64_t previous_iteration_ = 0;
  double previous_epoch_detail_ = 0;
};

}  // namespace triggers
}  // namespace catena::training
