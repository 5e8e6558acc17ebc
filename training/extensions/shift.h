#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/optimizers/optimizer.h"
#include "catena/training/extension.h"

namespace catena::training::extensions {

struct ShiftOptions {
  NamedFieldsOnly keywords = {};
  // The initial value; defaults to the optimizer's current value.
  std::optional<double> init = std::nullopt;
  // Defaults to the trainer's main optimizer. Must outlive the extension.
  Optimizer* optimizer = nullptr;
};

struct TargetShiftOptions {
  NamedFieldsOnly keywords = {};
  std::optional<double> init = std::nullopt;  // as in ShiftOptions
  // The value at which the schedule stops.
  std::optional<double> target = std::nullopt;
  Optimizer* optimizer = nullptr;  // as in ShiftOptions
};

// Sets a hyperparameter of an optimizer at each call, as a function of the
// number of calls. A resumed run continues with the saved value.
class HyperparameterShift : public Extension {
 public:
  // Throws ValueError when the optimizer has no such hyperparameter.
  void initialize(Trainer& trainer) override;
  void operator()(Trainer& trainer) override;
  // Keys: _t and _last_value.
  void serialize(const Serializer& serializer) override;

 protected:
  HyperparameterShift(std::string attr, std::optional<double> init,
                      Optimizer* optimizer)
      : attr_(std::move(attr)), init_(init), optimizer_(optimizer) {}

  // The value before the first call.
  virtual double initial_value(double init) const { return init; }
  // The value after t calls, t > 0.
  virtual double value_at(int64_t t, double init) const = 0;

 private:
  Optimizer& optimizer(Trainer& trainer) const;
  void set(Trainer& trainer, double value);

  std::string attr_;
  std::optional<double> init_;
  Optimizer* optimizer_;
  int64_t t_ = 0;
  std::optional<double> last_value_;
};

// Multiplies a hyperparameter by `rate` at each call:
//   trainer.extend(ExponentialShift("lr", 0.5), {.trigger = {10, "epoch"}});
class ExponentialShift final : public HyperparameterShift {
 public:
  // Throws ValueError for a negative or non-finite rate.
  ExponentialShift(std::string attr, double rate,
                   const TargetShiftOptions& options = {});
  std::string default_name() const override { return "ExponentialShift"; }

 private:
  double value_at(int64_t t, double init) const override;

  double rate_;
  std::optional<double> target_;
};

// init (1 + gamma t)^-power.
class InverseShift final : public HyperparameterShift {
 public:
  // Throws ValueError when an argument is not finite, or when gamma is negative
  // and there is no target, since the value would grow without bound.
  InverseShift(std::string attr, double gamma, double power,
               const TargetShiftOptions& options = {});
  std::string default_name() const override { return "InverseShift"; }

 private:
  double value_at(int64_t t, double init) const override;

  double gamma_;
  double power_;
  std::optional<double> target_;
};

// Changes a hyperparameter linearly from value_range.first to
// value_range.second between the calls time_range.first and time_range.second.
class LinearShift final : public HyperparameterShift {
 public:
  // Throws ValueError unless time_range.first < time_range.second and the
  // values are finite.
  LinearShift(std::string attr, std::pair<double, double> value_range,
              std::pair<int64_t, int64_t> time_range,
              Optimizer* optimizer = nullptr);
  std::string default_name() const override { return "LinearShift"; }

 private:
  double initial_value(double /*init*/) const override {
    return value_range_.first;
  }
  double value_at(int64_t t, double init) const override;

  std::pair<double, double> value_range_;
  std::pair<int64_t, int64_t> time_range_;
};

// Multiplies a hyperparameter by gamma at the calls that step_value lists.
class MultistepShift final : public HyperparameterShift {
 public:
  // Throws ValueError unless gamma is finite and step_value is ascending and
  // >= 1.
  MultistepShift(std::string attr, double gamma,
                 std::vector<int64_t> step_value,
                 const ShiftOptions& options = {});
  std::string default_name() const override { return "MultistepShift"; }

 private:
  double value_at(int64_t t, double init) const override;

  double gamma_;
  std::vector<int64_t> step_value_;
};

// init (1 - t / max_count)^rate, and 0 from max_count on.
class PolynomialShift final : public HyperparameterShift {
 public:
  // Throws ValueError when the rate is not finite or is negative without a
  // target, or when max_count < 1.
  PolynomialShift(std::string attr, double rate, int64_t max_count,
                  const TargetShiftOptions& options = {});
  std::string default_name() const override { return "PolynomialShift"; }

 private:
  double value_at(int64_t t, double init) const override;

  double rate_;
  int64_t max_count_;
  std::optional<double> target_;
};

// Multiplies a hyperparameter by gamma every `step` calls.
class StepShift final : public HyperparameterShift {
 public:
  // Throws ValueError unless gamma is finite and step >= 1.
  StepShift(std::string attr, double gamma, int64_t step,
            const ShiftOptions& options = {});
  std::string default_name() const override { return "StepShift"; }

 private:
  double value_at(int64_t t, double init) const override;

  double gamma_;
  int64_t step_;
};

struct CosineShiftOptions {
  NamedFieldsOnly keywords = {};
  std::optional<double> init = std::nullopt;  // as in ShiftOptions
  double target = 0;                          // from the last of the calls on
  // The first calls, in which the value grows linearly.
  int64_t warmup_iter = 0;
  double warmup_start = 0;
  Optimizer* optimizer = nullptr;  // as in ShiftOptions
};

// Changes a hyperparameter to init in warmup_iter calls, and from there to the
// target along half a cosine, which ends with call max_count:
//
//   target + (init - target) (1 + cos(pi (t - warmup) / (max_count - warmup)))
//            / 2
//
// Loshchilov, Hutter: SGDR, 2017, without restarts.
class CosineShift final : public HyperparameterShift {
 public:
  // Throws ValueError unless values are finite and 0 <= warmup_iter <
  // max_count.
  CosineShift(std::string attr, int64_t max_count,
              const CosineShiftOptions& options = {});
  std::string default_name() const override { return "CosineShift"; }

 private:
  double initial_value(double init) const override { return value_at(0, init); }
  double value_at(int64_t t, double init) const override;

  int64_t max_count_;
  double target_;
  int64_t warmup_iter_;
  double warmup_start_;
};

// Changes a hyperparameter linearly from warmup_start to init in the first
// warmup_iter calls, then keeps it.
class WarmupShift final : public HyperparameterShift {
 public:
  // Throws ValueError unless warmup_start is finite and warmup_iter >= 1.
  WarmupShift(std::string attr, double warmup_start, int64_t warmup_iter,
              const ShiftOptions& options = {});
  std::string default_name() const override { return "WarmupShift"; }

 private:
  double initial_value(double /*init*/) const override { return warmup_start_; }
  double value_at(int64_t t, double init) const override;

  double warmup_start_;
  int64_t warmup_iter_;
};

}  // namespace catena::training::extensions
