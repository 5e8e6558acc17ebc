#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/links/link.h"
#include "catena/training/extension.h"
#include "catena/training/extensions/evaluator.h"
#include "catena/training/extensions/snapshot.h"

namespace catena::training::extensions {

struct ParameterAverageOptions {
  NamedFieldsOnly keywords = {};
  // How much of the average stays in each iteration, in [0, 1).
  double decay = 0.999;
  // Whether decay is at most (1 + n) / (10 + n) in call n: the first
  // parameters, which are random, then fade soon.
  bool warm_up = false;
};

// Averages the parameters of a model exponentially while it trains. Evaluations
// and files with the average are often better than those of the last step:
//
//   auto& average = trainer.extend(extensions::ParameterAverage(model));
//   trainer.extend(extensions::evaluate_average(
//       extensions::Evaluator(test_iter, model), average));
//   trainer.extend(extensions::snapshot_average(average, "average.npz"));
//
// In each call,
//
//   average <- average + (1 - decay) (parameter - average)
//
// beginning with the parameter in its first call, in float32 for float16 and
// bfloat16. Persistent arrays, such as running statistics, are not averaged,
// nor are frozen parameters, integers and those without a shape yet. Snapshots
// of the trainer have the averages, and go on from them.
//
// Polyak, Juditsky: Acceleration of Stochastic Approximation by Averaging,
// 1992.
class ParameterAverage final : public Extension {
 public:
  // The model must outlive the extension. Throws ValueError when decay is out
  // of range.
  explicit ParameterAverage(Link& target,
                            const ParameterAverageOptions& options = {});
  ParameterAverage(const Link&&, const ParameterAverageOptions& = {}) = delete;

  // One step of the average, also without a trainer.
  void operator()(Trainer& trainer) override;
  void operator()();
  std::string default_name() const override { return "ParameterAverage"; }
  // Before evaluators.
  int priority() const override { return PRIORITY_WRITER + 50; }
  void serialize(const Serializer& serializer) override;

  // The average of a parameter by its path, as in Link::namedparams(). Throws
  // ValueError, listing those there are, when there is none.
  const Array& average(std::string_view path) const;

  // Until destroyed, the model has the averages as its parameters, where there
  // are any; then it has its own again, to the bit. Not during a step.
  class [[nodiscard]] Scope {
   public:
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    friend class ParameterAverage;
    explicit Scope(const ParameterAverage& average);

    std::vector<std::pair<Parameter, Array>> own_;
  };
  Scope scope() const { return Scope(*this); }

  // Writes the model with its averages, to be loaded into a model: its own
  // snapshots are those of the trainer. Throws ValueError unless it writes.
  void serialize_model(const Serializer& serializer) const;

 private:
  using Averages = std::map<std::string, Array, std::less<>>;  // by path

  Link* target_;
  ParameterAverageOptions options_;
  int64_t calls_ = 0;
  Averages averages_;
};

// An evaluator of class E that evaluates with averages.
template <std::derived_from<Evaluator> E>
class AverageEvaluator final : public E {
 public:
  // The average must outlive it, and have the same target.
  AverageEvaluator(E evaluator, const ParameterAverage& average)
      : E(std::move(evaluator)), average_(&average) {}

  // As that of E, with "_average" behind it: "validation_average/main/loss".
  std::string default_name() const override {
    return E::default_name() + "_average";
  }

 protected:
  Observation evaluate() override {
    const auto scope = average_->scope();
    return E::evaluate();
  }

 private:
  const ParameterAverage* average_;
};

// The evaluator, with averages in the place of the parameters.
template <std::derived_from<Evaluator> E>
AverageEvaluator<E> evaluate_average(E evaluator,
                                     const ParameterAverage& average) {
  return AverageEvaluator<E>(std::move(evaluator), average);
}

// As snapshot_object(), of the model with its averages, which must outlive the
// extension.
inline Snapshot snapshot_average(const ParameterAverage& average,
                                 std::string filename,
                                 SnapshotOptions options = {}) {
  options.filename = std::move(filename);
  return Snapshot(
      [&average](const Serializer& s) { average.serialize_model(s); }, options);
}
Snapshot snapshot_average(const ParameterAverage&&, std::string,
                          SnapshotOptions = {}) = delete;

}  // namespace catena::training::extensions
