#include "catena/training/extensions/evaluator.h"

#include <memory>
#include <optional>

#include "catena/array/core/warn_once.h"
#include "catena/array/random/generator_scope.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/links/reporter.h"
#include "catena/training/minibatch.h"
#include "catena/training/named.h"
#include "catena/training/summary.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

// Draws on a device do not change its generator. On the host, they come from a
// copy, since trainers in other threads may draw, too; a GPU's generator is
// restored, since captured work refers to it.
class GeneratorGuard {
 public:
  explicit GeneratorGuard(Device device) {
    if (device.is_native()) {
      copy_.emplace(device);
    } else {
      generator_ = &array::random::generator(device);
      state_ = generator_->state();
    }
  }
  ~GeneratorGuard() {
    if (generator_ != nullptr) generator_->set_state(state_);
  }
  GeneratorGuard(const GeneratorGuard&) = delete;
  GeneratorGuard& operator=(const GeneratorGuard&) = delete;

 private:
  std::optional<array::random::GeneratorScope> copy_;
  array::random::Generator* generator_ = nullptr;
  array::random::GeneratorState state_;
};

}  // namespace

Evaluator::Evaluator(IteratorMap iterators, LinkMap targets,
                     LossFunction eval_func, const EvaluatorOptions& options)
    : iterators_(std::move(iterators)),
      targets_(std::move(targets)),
      eval_func_(std::move(eval_func)),
      options_(options),
      device_("Evaluator", options.device) {
  if (!options_.converter) {
    raise<ValueError>("Evaluator: expected a converter, got none");
  }
  for (const auto& [name, target] : targets_) {
    if (target != nullptr) continue;
    raise<ValueError>("Evaluator: expected a target '", name,
                      "', got a null pointer");
  }
  for (const auto& [name, iterator] : iterators_) {
    if (iterator == nullptr) {
      raise<ValueError>("Evaluator: expected an iterator '", name,
                        "', got a null pointer");
    }
    if (iterator->repeat()) {
      raise<ValueError>("Evaluator: expected an iterator '", name,
                        "' that ends, made with repeat = false, got one that "
                        "repeats");
    }
  }
}

void Evaluator::operator()(Trainer& /*trainer*/) { (*this)(); }

Observation Evaluator::operator()() {
  Reporter reporter;
  const std::string prefix = name().empty() ? "" : name() + "/";
  for (const auto& [name, target] : targets_) {
    reporter.add_observer(prefix + name, *target);
    reporter.add_observers(prefix + name, target->namedlinks(true));
  }
  const auto& first = placement().first;
  const Device where =
      options_.device.value_or(first ? first->device : current_device());
  Observation result;
  {
    const GeneratorGuard host(native_device());
    const GeneratorGuard current(current_device());
    const GeneratorGuard device(where);
    const auto test_mode = using_config(&Config::train, false);
    const auto scope = reporter.scope();
    result = evaluate();
  }
  report(result);
  return result;
}

Observation Evaluator::evaluate() {
  dataset::Iterator& iterator = find_main(iterators_, "Evaluator", "iterator");
  if (options_.eval_hook) options_.eval_hook(*this);
  if (!eval_func_) {
    raise<ValueError>(
        "Evaluator: expected an eval_func or another evaluate(), got neither");
  }
  const std::unique_ptr<dataset::Iterator> copy = iterator.copy();
  dataset::Iterator& batches = copy != nullptr ? *copy : iterator;
  batches.reset();

  const std::optional<Device> device = this->device();
  DictSummary summary;
  int64_t count = 0;
  const auto no_graph = no_backprop_mode();
  while (const auto batch = batches.next()) {
    Observation observation;
    const auto scope = report_scope(observation);
    eval_func_(variables_of(options_.converter(*batch, device)));
    summary.add(observation);
    ++count;
  }
  if (count == 0) {
    raise<ValueError>(
        "Evaluator: expected minibatches to evaluate on, got none: the dataset "
        "of the iterator is empty");
  }
  Observation mean = summary.compute_mean();
  if (mean.empty()) {
    warn_once(str("Evaluator ", name()), [&] {
      return str("Evaluator", name().empty() ? "" : " '" + name() + "'",
                 ": expected reports from ", count,
                 " minibatches, got none: report them where the loss is "
                 "computed, report({{\"loss\", loss}}, this)");
    });
  }
  return mean;
}

Placement Evaluator::placement() const {
  Placement placement;
  for (const auto& [name, target] : targets_) placement.add(name, *target);
  return placement;
}

std::optional<Device> Evaluator::device() const {
  return device_.get([&] { return placement(); });
}

dataset::Iterator& Evaluator::get_iterator(std::string_view name) const {
  return find_named(iterators_, name, "get_iterator", "iterator");
}

Link& Evaluator::get_target(std::string_view name) const {
  return find_named(targets_, name, "get_target", "target");
}

void Evaluator::finalize() {
  for (const auto& [name, iterator] : iterators_) iterator->finalize();
}

}  // namespace catena::training::extensions
