#include "catena/training/triggers/interval_trigger.h"

#include <cmath>

#include "catena/array/core/error.h"

namespace catena::training::triggers {
namespace {

// The exact quotient of x >= 0, rounded down: 1.0 / 0.1 is 10 in floating
// point, but the double 0.1 fits into 1.0 only 9 times.
double floor_divide(double x, double y) {
  const double quotient = (x - std::fmod(x, y)) / y;
  return std::floor(quotient + 0.5);
}

}  // namespace

IntervalTrigger::IntervalTrigger(double period, std::string_view unit)
    : period_(period), marks_(unit, "IntervalTrigger") {
  if (!(period > 0) || !std::isfinite(period)) {
    raise<ValueError>("IntervalTrigger: expected a period > 0, got ", period);
  }
}

bool IntervalTrigger::operator()(Trainer& trainer) {
  const auto [previous, current] = marks_.advance(trainer);
  return floor_divide(previous, period_) != floor_divide(current, period_);
}

}  // namespace catena::training::triggers

namespace catena::training {

// Declared in trigger.h, which knows no trigger of its own.
AnyTrigger AnyTrigger::every(double period, std::string_view unit) {
  return triggers::IntervalTrigger(period, unit);
}

}  // namespace catena::training
