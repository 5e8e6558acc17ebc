#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "catena/optimizers/optimizer.h"
#include "catena/training/extension.h"

namespace catena::training::extensions {

// What changes a hyperparameter of an optimizer by a rule, at each call: the
// rule is a function of how many calls there were. A training that is resumed
// starts with the value it was saved with.
class HyperparameterShift : public Extension {
 public:
  void operator()(Trainer& trainer) override;
  void initialize(Trainer& trainer) override;
  // _t and _last_value.
  void serialize(const Serializer& serializer) override;

 protected:
  // `optimizer` is null for the trainer's main one.
  HyperparameterShift(std::string attr, Optimizer* optimizer)
      : attr_(std::move(attr)), optimizer_(optimizer) {}

  // The value before the first call, given the optimizer's own.
  virtual double initial_value(double own) = 0;
  // The value after t calls.
  virtual double value_at(int64_t t) const = 0;

 private:
  Optimizer& optimizer(Trainer& trainer) const;
  void set(Trainer& trainer, double value);

  std::string attr_;
  Optimizer* optimizer_;
  int64_t t_ = 0;
  std::optional<double> last_value_;
};

struct ExponentialShiftOptions {
  // The value to start from; the optimizer's own unless given.
  std::optional<double> init = std::nullopt;
  // Where the value stops.
  std::optional<double> target = std::nullopt;
  // The trainer's main optimizer unless given; it must outlive the extension.
  Optimizer* optimizer = nullptr;
};

// Multiplies a hyperparameter by `rate` at each call:
//   trainer.extend(ExponentialShift("lr", 0.5), {.trigger = {10, "epoch"}});
class ExponentialShift final : public HyperparameterShift {
 public:
  // ValueError when the rate is negative or not finite.
  ExponentialShift(std::string attr, double rate,
                   const ExponentialShiftOptions& options = {});
  std::string default_name() const override { return "ExponentialShift"; }

 private:
  double initial_value(double own) override;
  double value_at(int64_t t) const override;

  double rate_;
  ExponentialShiftOptions options_;
};

// Moves a hyperparameter evenly from value_range.first to value_range.second
// between the calls time_range.first and time_range.second.
class LinearShift final : public HyperparameterShift {
 public:
  // ValueError unless time_range.first < time_range.second.
  LinearShift(std::string attr, std::pair<double, double> value_range,
              std::pair<int64_t, int64_t> time_range,
              Optimizer* optimizer = nullptr);
  std::string default_name() const override { return "LinearShift"; }

 private:
  double initial_value(double /*own*/) override { return value_range_.first; }
  double value_at(int64_t t) const override;

  std::pair<double, double> value_range_;
  std::pair<int64_t, int64_t> time_range_;
};

}  // namespace catena::training::extensions
