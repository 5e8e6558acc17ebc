#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "catena/dataset/convert.h"
#include "catena/dataset/iterator.h"
#include "catena/links/observation.h"
#include "catena/optimizers/optimizer.h"
#include "catena/training/extension.h"
#include "catena/training/standard_updater.h"

namespace catena::training::extensions {

class Evaluator;

using LinkMap = std::map<std::string, Link*, std::less<>>;

struct EvaluatorOptions {
  dataset::Converter converter = dataset::default_converter();
  // Where minibatches go; by default they stay where they are.
  std::optional<Device> device = std::nullopt;
  // Called before each evaluation, to reset the state of a recurrent net, say.
  std::function<void(Evaluator&)> eval_hook = nullptr;
  // Called with the arrays of each minibatch; defaults to the target. What it
  // reports is averaged.
  LossFunction eval_func = nullptr;
};

// Evaluates a model on a dataset: the means over all minibatches of what is
// reported become observations named "validation/main/...", or with the
// extension's other name in place of "validation". It runs in test mode,
// without graphs, on a copy of the iterator from its start, and leaves mode,
// iterator and random generators as it found them, whatever is thrown.
//
// Each epoch by default. Outside of a trainer it can be called as it is; then
// names begin with the target's.
class Evaluator : public Extension {
 public:
  // Iterator and target must outlive the evaluator. ValueError when the
  // iterator repeats without end, a pointer is null or there is no converter.
  template <class L>
  Evaluator(dataset::Iterator& iterator, L& target,
            const EvaluatorOptions& options = {})
      : Evaluator(
            IteratorMap{{"main", &iterator}}, LinkMap{{"main", &target}},
            options.eval_func ? options.eval_func : loss_function_of(target),
            options) {}
  // Several of them, for classes that override evaluate(). Without eval_func
  // the target cannot be called.
  Evaluator(IteratorMap iterators, LinkMap targets,
            const EvaluatorOptions& options = {})
      : Evaluator(std::move(iterators), std::move(targets), options.eval_func,
                  options) {}
  // Temporaries would be gone.
  template <class L>
  Evaluator(dataset::Iterator&&, L&, const EvaluatorOptions& = {}) = delete;
  template <class L>
  Evaluator(dataset::Iterator&, const L&&,
            const EvaluatorOptions& = {}) = delete;

  // Evaluates, reports to the trainer and returns the means. ValueError when
  // there are no minibatches.
  void operator()(Trainer& trainer) override;
  Observation operator()();

  std::string default_name() const override { return "validation"; }
  AnyTrigger trigger() const override { return {1, "epoch"}; }
  int priority() const override { return PRIORITY_WRITER; }

  // ValueError naming those there are.
  dataset::Iterator& get_iterator(std::string_view name) const;
  Link& get_target(std::string_view name) const;
  const IteratorMap& get_all_iterators() const { return iterators_; }
  const LinkMap& get_all_targets() const { return targets_; }

  const dataset::Converter& converter() const { return options_.converter; }
  const std::optional<Device>& device() const { return options_.device; }

  void finalize() override;

 protected:
  // Goes through the iterator "main" and returns the means of what is reported.
  // A reporter that knows the targets is current.
  virtual Observation evaluate();

 private:
  Evaluator(IteratorMap iterators, LinkMap targets, LossFunction eval_func,
            const EvaluatorOptions& options);

  IteratorMap iterators_;
  LinkMap targets_;
  LossFunction eval_func_;
  EvaluatorOptions options_;
};

}  // namespace catena::training::extensions
