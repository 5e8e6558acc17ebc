#include "catena/training/extensions/shift.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "catena/array/core/error.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

void check_finite(double value, std::string_view shift, std::string_view name) {
  if (std::isfinite(value)) return;
  raise<ValueError>(shift, ": expected a finite ", name, ", got ", value);
}

void check_count(int64_t count, std::string_view shift, std::string_view name) {
  if (count >= 1) return;
  raise<ValueError>(shift, ": expected ", name, " >= 1, got ", count);
}

// Clamps a growing (shrinking) value at the target. Comparing the ratio also
// works for negative values.
double stopped(double value, const std::optional<double>& target, bool grows) {
  if (!target) return value;
  const double ratio = *target / value;
  return (grows ? ratio < 1 : ratio > 1) ? *target : value;
}

}  // namespace

Optimizer& HyperparameterShift::optimizer(Trainer& trainer) const {
  return optimizer_ != nullptr ? *optimizer_
                               : trainer.updater().main_optimizer();
}

void HyperparameterShift::set(Trainer& trainer, double value) {
  optimizer(trainer).set_hyperparameter(attr_, value);
  last_value_ = value;
}

void HyperparameterShift::initialize(Trainer& trainer) {
  const double own = optimizer(trainer).hyperparameter(attr_);
  if (!init_) init_ = own;
  set(trainer, last_value_.value_or(initial_value(*init_)));
}

void HyperparameterShift::operator()(Trainer& trainer) {
  ++t_;
  set(trainer, value_at(t_, *init_));
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
                                   const TargetShiftOptions& options)
    : HyperparameterShift(std::move(attr), options.init, options.optimizer),
      rate_(rate),
      target_(options.target) {
  if (!(rate >= 0) || !std::isfinite(rate)) {
    raise<ValueError>("ExponentialShift: expected a rate >= 0, got ", rate);
  }
}

double ExponentialShift::value_at(int64_t t, double init) const {
  return stopped(init * std::pow(rate_, static_cast<double>(t)), target_,
                 rate_ > 1);
}

InverseShift::InverseShift(std::string attr, double gamma, double power,
                           const TargetShiftOptions& options)
    : HyperparameterShift(std::move(attr), options.init, options.optimizer),
      gamma_(gamma),
      power_(power),
      target_(options.target) {
  check_finite(gamma, "InverseShift", "gamma");
  check_finite(power, "InverseShift", "power");
  if (gamma < 0 && !target_) {
    raise<ValueError>(
        "InverseShift: expected a target for negative gamma, got none "
        "with gamma = ",
        gamma);
  }
}

double InverseShift::value_at(int64_t t, double init) const {
  const double base = 1 + gamma_ * static_cast<double>(t);
  // Past the pole of the curve, possible only with a negative gamma.
  if (base <= 0) return *target_;
  return stopped(init * std::pow(base, -power_), target_, gamma_ < 0);
}

LinearShift::LinearShift(std::string attr,
                         std::pair<double, double> value_range,
                         std::pair<int64_t, int64_t> time_range,
                         Optimizer* optimizer)
    : HyperparameterShift(std::move(attr), std::nullopt, optimizer),
      value_range_(value_range),
      time_range_(time_range) {
  check_finite(value_range.first, "LinearShift", "value_range");
  check_finite(value_range.second, "LinearShift", "value_range");
  if (time_range.first >= time_range.second) {
    raise<ValueError>(
        "LinearShift: expected time_range.first < time_range.second, "
        "got ",
        time_range.first, " and ", time_range.second);
  }
}

double LinearShift::value_at(int64_t t, double /*init*/) const {
  const auto& [first, last] = time_range_;
  if (t <= first) return value_range_.first;
  if (t >= last) return value_range_.second;
  // Differences of the integers may overflow.
  const double begin = static_cast<double>(first);
  const double rate =
      (static_cast<double>(t) - begin) / (static_cast<double>(last) - begin);
  return value_range_.first + rate * (value_range_.second - value_range_.first);
}

MultistepShift::MultistepShift(std::string attr, double gamma,
                               std::vector<int64_t> step_value,
                               const ShiftOptions& options)
    : HyperparameterShift(std::move(attr), options.init, options.optimizer),
      gamma_(gamma),
      step_value_(std::move(step_value)) {
  check_finite(gamma, "MultistepShift", "gamma");
  for (const int64_t step : step_value_) {
    check_count(step, "MultistepShift", "each step_value");
  }
  const auto it =
      std::ranges::adjacent_find(step_value_, std::greater_equal<>());
  if (it != step_value_.end()) {
    raise<ValueError>("MultistepShift: expected step_value to ascend, got ",
                      *it, " before ", *std::next(it));
  }
}

double MultistepShift::value_at(int64_t t, double init) const {
  const auto passed = std::ranges::upper_bound(step_value_, t);
  return init *
         std::pow(gamma_, static_cast<double>(passed - step_value_.begin()));
}

PolynomialShift::PolynomialShift(std::string attr, double rate,
                                 int64_t max_count,
                                 const TargetShiftOptions& options)
    : HyperparameterShift(std::move(attr), options.init, options.optimizer),
      rate_(rate),
      max_count_(max_count),
      target_(options.target) {
  check_finite(rate, "PolynomialShift", "rate");
  check_count(max_count, "PolynomialShift", "max_count");
  if (rate < 0 && !target_) {
    raise<ValueError>(
        "PolynomialShift: expected a target for a negative rate, got "
        "none with rate = ",
        rate);
  }
}

double PolynomialShift::value_at(int64_t t, double init) const {
  const double done = static_cast<double>(t) / static_cast<double>(max_count_);
  return stopped(init * std::pow(std::max(1 - done, 0.0), rate_), target_,
                 rate_ < 0);
}

StepShift::StepShift(std::string attr, double gamma, int64_t step,
                     const ShiftOptions& options)
    : HyperparameterShift(std::move(attr), options.init, options.optimizer),
      gamma_(gamma),
      step_(step) {
  check_finite(gamma, "StepShift", "gamma");
  check_count(step, "StepShift", "step");
}

double StepShift::value_at(int64_t t, double init) const {
  return init * std::pow(gamma_, static_cast<double>(t / step_));
}

CosineShift::CosineShift(std::string attr, int64_t max_count,
                         const CosineShiftOptions& options)
    : HyperparameterShift(std::move(attr), options.init, options.optimizer),
      max_count_(max_count),
      target_(options.target),
      warmup_iter_(options.warmup_iter),
      warmup_start_(options.warmup_start) {
  check_count(max_count, "CosineShift", "max_count");
  check_finite(target_, "CosineShift", "target");
  check_finite(warmup_start_, "CosineShift", "warmup_start");
  if (warmup_iter_ < 0 || warmup_iter_ >= max_count) {
    raise<ValueError>(
        "CosineShift: expected 0 <= warmup_iter < max_count, got ",
        warmup_iter_, " and ", max_count);
  }
}

double CosineShift::value_at(int64_t t, double init) const {
  const double call = static_cast<double>(t);
  const double warmup = static_cast<double>(warmup_iter_);
  if (t < warmup_iter_) {
    return warmup_start_ + (init - warmup_start_) * call / warmup;
  }
  if (t >= max_count_) return target_;
  const double rate =
      (call - warmup) / (static_cast<double>(max_count_) - warmup);
  return target_ +
         (init - target_) * (1 + std::cos(std::numbers::pi * rate)) / 2;
}

WarmupShift::WarmupShift(std::string attr, double warmup_start,
                         int64_t warmup_iter, const ShiftOptions& options)
    : HyperparameterShift(std::move(attr), options.init, options.optimizer),
      warmup_start_(warmup_start),
      warmup_iter_(warmup_iter) {
  check_finite(warmup_start, "WarmupShift", "warmup_start");
  check_count(warmup_iter, "WarmupShift", "warmup_iter");
}

double WarmupShift::value_at(int64_t t, double init) const {
  if (t >= warmup_iter_) return init;
  return warmup_start_ + (init - warmup_start_) /
                             static_cast<double>(warmup_iter_) *
                             static_cast<double>(t);
}

}  // namespace catena::training::extensions
