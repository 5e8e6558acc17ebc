#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "catena/serializers/serializer.h"

namespace catena::training {

class Trainer;

// The length of training, for progress displays.
struct TrainingLength {
  double period;
  std::string unit;  // "epoch" or "iteration"
};

// Decides after each iteration whether to run an extension or end training.
class Trigger {
 public:
  virtual ~Trigger() = default;

  // Called once after each iteration.
  virtual bool operator()(Trainer& trainer) = 0;
  virtual void serialize(const Serializer& /*serializer*/) {}
  virtual std::optional<TrainingLength> get_training_length() const {
    return std::nullopt;
  }
};

template <class T>
concept TriggerType = std::derived_from<T, Trigger>;
template <class F>
concept TriggerFunction =
    std::predicate<F, Trainer&> && !std::derived_from<F, Trigger>;

// A trigger of any type, as a value: copies have independent state. Converts
// from a pair such as {20, "epoch"} (an IntervalTrigger), a function of the
// trainer, or {} (never fires).
class AnyTrigger {
 public:
  AnyTrigger() = default;
  // Throws ValueError unless period > 0 and the unit is "epoch" or "iteration".
  template <Element T>
  AnyTrigger(T period, std::string_view unit)
      : AnyTrigger(every(static_cast<double>(period), unit)) {}
  template <TriggerType T>
  AnyTrigger(T trigger)
      : trigger_(std::make_unique<T>(std::move(trigger))),
        copy_([](const Trigger& other) -> std::unique_ptr<Trigger> {
          return std::make_unique<T>(static_cast<const T&>(other));
        }) {}
  template <TriggerFunction F>
  AnyTrigger(F function) : AnyTrigger(call(std::move(function))) {}

  AnyTrigger(const AnyTrigger& other)
      : trigger_(other.trigger_ ? other.copy_(*other.trigger_) : nullptr),
        copy_(other.copy_) {}
  AnyTrigger(AnyTrigger&&) = default;
  AnyTrigger& operator=(AnyTrigger other) noexcept {
    trigger_ = std::move(other.trigger_);
    copy_ = other.copy_;
    return *this;
  }

  // False for {}.
  bool is_given() const { return trigger_ != nullptr; }

  bool operator()(Trainer& trainer) const {
    return trigger_ != nullptr && (*trigger_)(trainer);
  }
  void serialize(const Serializer& serializer) const {
    if (trigger_ != nullptr) trigger_->serialize(serializer);
  }
  std::optional<TrainingLength> get_training_length() const {
    return trigger_ ? trigger_->get_training_length() : std::nullopt;
  }

 private:
  static AnyTrigger every(double period, std::string_view unit);
  static AnyTrigger call(std::function<bool(Trainer&)> function);

  std::unique_ptr<Trigger> trigger_;
  std::unique_ptr<Trigger> (*copy_)(const Trigger&) = nullptr;
};

// Converts its argument to a trigger: get_trigger({1, "epoch"}).
inline AnyTrigger get_trigger(AnyTrigger trigger) { return trigger; }

}  // namespace catena::training
