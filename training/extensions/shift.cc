#include "catena/training/extensions/shift.h"

#include <cmath>

#include "catena/array/error.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {

Optimizer& HyperparameterShift::optimizer(Trainer& trainer) const {
  return optimizer_ != nullptr ? *optimizer_
                               : trainer.updater().get_optimizer("main");
}

void HyperparameterShift::set(Trainer& trainer, double value) {
  optimizer(trainer).set_hyperparameter(attr_, value);
  last_value_ = value;
}

void HyperparameterShift::initialize(Trainer& trainer) {
  const double initial =
      initial_value(optimizer(trainer).hyperparameter(attr_));
  set(trainer, last_value_.value_or(initial));
}

void HyperparameterShift::operator()(Trainer& trainer) {
  ++t_;
  set(trainer, value_at(t_));
}

void HyperparameterShift::serialize(const Serializer& serializer) {
  serializer("_t", t_);
  if (serializer.is_writer()) {
    if (!last_value_) return serializer.write("_last_value", {});
    return serializer("_last_value", *last_value_);
  }
  const SerializedValue* entry = serializer.read("_last_value");
  if (entry == nullptr || std::holds_alternative<std::monostate>(*entry)) {
    return;
  }
  if (const auto last = serializer.number<double>("_last_value")) {
    serializer.on_commit([this, last] { last_value_ = last; });
  }
}

ExponentialShift::ExponentialShift(std::string attr, double rate,
                                   const ExponentialShiftOptions& options)
    : HyperparameterShift(std::move(attr), options.optimizer),
      rate_(rate),
      options_(options) {
  if (!(rate >= 0) || !std::isfinite(rate)) {
    raise<ValueError>("ExponentialShift: expected a rate >= 0, got ", rate);
  }
}

double ExponentialShift::initial_value(double own) {
  if (!options_.init) options_.init = own;
  return *options_.init;
}

double ExponentialShift::value_at(int64_t t) const {
  const double value = *options_.init * std::pow(rate_, static_cast<double>(t));
  if (!options_.target) return value;
  // As a ratio it also holds for negative values.
  const double ratio = *options_.target / value;
  return (rate_ > 1 ? ratio < 1 : ratio > 1) ? *options_.target : value;
}

LinearShift::LinearShift(std::string attr,
                         std::pair<double, double> value_range,
                         std::pair<int64_t, int64_t> time_range,
                         Optimizer* optimizer)
    : HyperparameterShift(std::move(attr), optimizer),
      value_range_(value_range),
      time_range_(time_range) {
  if (time_range.first >= time_range.second) {
    raise<ValueError>(
        "LinearShift: expected a time_range whose first is below its second, "
        "got ",
        time_range.first, " and ", time_range.second);
  }
}

double LinearShift::value_at(int64_t t) const {
  const auto& [first, last] = time_range_;
  if (t <= first) return value_range_.first;
  if (t >= last) return value_range_.second;
  const double rate =
      static_cast<double>(t - first) / static_cast<double>(last - first);
  return value_range_.first + rate * (value_range_.second - value_range_.first);
}

}  // namespace catena::training::extensions
