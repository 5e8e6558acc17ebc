#include "catena/training/triggers/schedule_triggers.h"

#include <algorithm>
#include <cmath>

#include "catena/array/core/error.h"
#include "catena/training/trainer.h"

namespace catena::training::triggers {

ManualScheduleTrigger::ManualScheduleTrigger(std::vector<double> points,
                                             std::string_view unit)
    : points_(std::move(points)), marks_(unit, "ManualScheduleTrigger") {
  for (const double point : points_) {
    if (!std::isfinite(point)) {
      raise<ValueError>("ManualScheduleTrigger: expected finite points, got ",
                        point);
    }
  }
}

bool ManualScheduleTrigger::operator()(Trainer& trainer) {
  const auto step = marks_.advance(trainer);
  return std::ranges::any_of(points_, [&](double point) {
    return step.previous < point && point <= step.current;
  });
}

bool OnceTrigger::operator()(Trainer& /*trainer*/) {
  const bool fires = !finished();
  is_first_ = false;
  is_resumed_ = false;
  return fires;
}

void OnceTrigger::serialize(const Serializer& serializer) {
  serializer("_flag_first", is_first_);
}

TimeTrigger::TimeTrigger(double period) : period_(period), next_time_(period) {
  if (!(period > 0) || !std::isfinite(period)) {
    raise<ValueError>("TimeTrigger: expected a period > 0, got ", period);
  }
}

bool TimeTrigger::operator()(Trainer& trainer) {
  if (trainer.elapsed_time() <= next_time_) return false;
  next_time_ += period_;
  return true;
}

void TimeTrigger::serialize(const Serializer& serializer) {
  serializer("next_time", next_time_);
}

}  // namespace catena::training::triggers
