#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "catena/dataset/convert.h"
#include "catena/dataset/iterator.h"
#include "catena/links/observation.h"
#include "catena/optimizers/loss_function.h"
#include "catena/training/extension.h"
#include "catena/training/standard_updater.h"
#include "catena/training/target_device.h"

namespace catena::training::extensions {

class Evaluator;

// Links to evaluate, by name.
using LinkMap = std::map<std::string, Link*, std::less<>>;

struct EvaluatorOptions {
  NamedFieldsOnly keywords = {};
  dataset::Converter converter = dataset::default_converter();
  // The device to move minibatches to; defaults to that of the targets'
  // parameters, which must then be on one device.
  std::optional<Device> device = std::nullopt;
  // Called before each evaluation, for example to reset a recurrent network.
  std::function<void(Evaluator&)> eval_hook = nullptr;
  // Called with the fields of each minibatch; defaults to the target. Its
  // reported values are averaged.
  LossFunction eval_func = nullptr;
};

// Evaluates a model on a dataset: the means over all minibatches of the
// reported values become observations named "validation/main/...", where
// "validation" is the extension's name. It runs in test mode, without graphs,
// on a copy of the iterator from its start. Mode, iterator and random
// generators are restored afterwards, even after an exception; what other
// threads draw on the host meanwhile stays drawn.
//
// Runs every epoch by default. It can also be called outside a trainer; then
// names start with the target's name.
class Evaluator : public Extension {
 public:
  // Iterator and target must outlive the evaluator. Throws ValueError when the
  // iterator repeats forever, a pointer is null or there is no converter.
  template <class L>
  Evaluator(dataset::Iterator& iterator, L& target,
            const EvaluatorOptions& options = {})
      : Evaluator(
            IteratorMap{{"main", &iterator}}, LinkMap{{"main", &target}},
            options.eval_func ? options.eval_func : loss_function_of(target),
            options) {}
  // Several iterators and targets, for classes that override evaluate(). The
  // default evaluate() requires eval_func here.
  Evaluator(IteratorMap iterators, LinkMap targets,
            const EvaluatorOptions& options = {})
      : Evaluator(std::move(iterators), std::move(targets), options.eval_func,
                  options) {}
  // Temporaries would dangle.
  template <class L>
  Evaluator(dataset::Iterator&&, L&, const EvaluatorOptions& = {}) = delete;
  template <class L>
  Evaluator(dataset::Iterator&, const L&&,
            const EvaluatorOptions& = {}) = delete;

  // Evaluates, reports to the trainer and returns the means. Throws ValueError
  // when there are no minibatches.
  void operator()(Trainer& trainer) override;
  Observation operator()();

  std::string default_name() const override { return "validation"; }
  AnyTrigger trigger() const override { return {1, "epoch"}; }
  int priority() const override { return PRIORITY_WRITER; }

  // Throws ValueError, listing the existing names, when there is no such name.
  dataset::Iterator& get_iterator(std::string_view name) const;
  Link& get_target(std::string_view name) const;
  const IteratorMap& get_all_iterators() const { return iterators_; }
  const LinkMap& get_all_targets() const { return targets_; }

  const dataset::Converter& converter() const { return options_.converter; }
  // The device that minibatches are moved to: that of the options, or that of
  // the targets' parameters, if there are any. Throws DeviceError, naming two
  // parameters, when they are on several devices.
  std::optional<Device> device() const;

  void finalize() override;

 protected:
  // Iterates over "main", or the only iterator, and returns the means of the
  // reported values. Called with a current reporter that has the targets as
  // observers.
  virtual Observation evaluate();

 private:
  Evaluator(IteratorMap iterators, LinkMap targets, LossFunction eval_func,
            const EvaluatorOptions& options);

  Placement placement() const;  // of the targets

  IteratorMap iterators_;
  LinkMap targets_;
  LossFunction eval_func_;
  EvaluatorOptions options_;
  MinibatchDevice device_;
};

}  // namespace catena::training::extensions
