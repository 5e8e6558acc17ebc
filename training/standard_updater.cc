#include "catena/training/standard_updater.h"

#include <functional>
#include <new>
#include <vector>

#include "catena/array/core/memory_errors.h"
#include "catena/array/core/trace.h"
#include "catena/training/mean_observation.h"
#include "catena/training/minibatch.h"
#include "catena/training/named.h"

namespace catena::training {
namespace {

constexpr std::string_view kMain = "main";

template <class Map>
void check_pointers(const Map& objects, std::string_view kind) {
  for (const auto& [name, object] : objects) {
    if (object == nullptr) {
      raise<ValueError>("StandardUpdater: expected an ", kind, " '", name,
                        "', got a null pointer");
    }
  }
}

}  // namespace

StandardUpdater::StandardUpdater(dataset::Iterator& iterator,
                                 Optimizer& optimizer,
                                 const StandardUpdaterOptions& options)
    : StandardUpdater(IteratorMap{{std::string(kMain), &iterator}},
                      OptimizerMap{{std::string(kMain), &optimizer}}, options) {
}

StandardUpdater::StandardUpdater(IteratorMap iterators, OptimizerMap optimizers,
                                 const StandardUpdaterOptions& options)
    : iterators_(std::move(iterators)),
      optimizers_(std::move(optimizers)),
      options_(options),
      device_("StandardUpdater", options.device) {
  check_pointers(iterators_, "iterator");
  check_pointers(optimizers_, "optimizer");
  main_iterator_ = main_or_null(iterators_);
  if (!options_.converter) {
    raise<ValueError>("StandardUpdater: expected a converter, got none");
  }
  if (options_.accumulate < 1) {
    raise<ValueError>(
        "StandardUpdater: expected a positive number of minibatches to "
        "accumulate, got ",
        options_.accumulate);
  }
  if (options_.accumulate > 1 && options_.capture == Capture::kAlways) {
    raise<NotImplementedError>(
        "StandardUpdater: expected steps of one minibatch with "
        "Capture::kAlways, got accumulate = ",
        options_.accumulate, "; such steps are not captured");
  }
  if (!options_.device) return;
  require_device(*options_.device, "StandardUpdater");
  for (const auto& [name, optimizer] : optimizers_) {
    Placement placement;
    placement.add(name, optimizer->target());
    if (!placement.is_split()) optimizer->target().to_device(*options_.device);
  }
}

std::optional<Device> StandardUpdater::device() const {
  return device_.get([&] {
    Placement placement;
    for (const auto& [name, optimizer] : optimizers_) {
      placement.add(name, optimizer->target());
    }
    return placement;
  });
}

void StandardUpdater::update() try {
  const auto autocast = using_config(
      &Config::autocast,
      options_.autocast.is_on() ? options_.autocast : config().autocast);
  update_core();
  ++iteration_;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("StandardUpdater");
}

double StandardUpdater::previous_epoch_detail() const {
  if (progress_) return progress_->previous_epoch_detail;
  return main_iterator().previous_epoch_detail().value_or(0);
}

bool StandardUpdater::is_new_epoch() const {
  return progress_ ? progress_->is_new_epoch : main_iterator().is_new_epoch();
}

void StandardUpdater::update_with_several() {
  dataset::Iterator& iterator = main_iterator();
  Optimizer& optimizer = main_optimizer();
  const LossFunction& loss_function =
      options_.loss_func ? options_.loss_func : optimizer.loss_function();
  Progress progress = {iterator.epoch_detail(), false};
  int64_t epochs = 0;
  std::vector<LossInputs> batches;
  for (int64_t i = 0; i < options_.accumulate; ++i) {
    batches.push_back(next_batch(iterator));
    if (iterator.is_new_epoch()) ++epochs;
  }
  progress.is_new_epoch = epochs > 0;
  MeanObservation reported;
  std::vector<std::function<Variable()>> losses;
  for (const LossInputs& batch : batches) {
    losses.emplace_back(
        [&] { return reported.collect([&] { return loss_function(batch); }); });
  }
  optimizer.update_mean(losses);
  reported.report();
  for (; epochs > 0; --epochs) optimizer.new_epoch();
  progress_ = progress;
}

void StandardUpdater::update_core() {
  if (options_.accumulate > 1) return update_with_several();
  dataset::Iterator& iterator = main_iterator();
  Optimizer& optimizer = main_optimizer();
  const LossInputs batch = next_batch(iterator);
  if (!captured_) {
    captured_.emplace(optimizer, options_.loss_func, options_.capture);
  }
  captured_->update(batch);
  if (iterator.is_new_epoch()) optimizer.new_epoch();
}

dataset::Batch StandardUpdater::take_batch(dataset::Iterator& iterator) {
  const TraceSpan span("training", "iterator");
  dataset::NextBatch batch = iterator.next();
  if (!batch) {
    raise<ValueError>(
        "StandardUpdater: expected another minibatch, but the iterator has "
        "ended; use repeat = true for training");
  }
  return *std::move(batch);
}

LossInputs StandardUpdater::next_batch(dataset::Iterator& iterator) const {
  const std::optional<Device> device = this->device();  // may be an error
  const dataset::Batch batch = take_batch(iterator);
  const TraceSpan span("training", "converter");
  return variables_of(options_.converter(batch, device));
}

dataset::Iterator& StandardUpdater::get_iterator(std::string_view name) const {
  return find_named(iterators_, name, "get_iterator", "iterator");
}

dataset::Iterator& StandardUpdater::main_iterator() const {
  if (main_iterator_ != nullptr) return *main_iterator_;
  return find_main(iterators_, "main_iterator", "iterator");
}

void StandardUpdater::finalize() {
  for (const auto& [name, iterator] : iterators_) iterator->finalize();
  captured_.reset();
}

void StandardUpdater::serialize(const Serializer& serializer) {
  for (const auto& [name, iterator] : iterators_) {
    iterator->serialize(serializer["iterator:" + name]);
  }
  for (const auto& [name, optimizer] : optimizers_) {
    optimizer->serialize(serializer["optimizer:" + name]);
    optimizer->target().serialize(serializer["model:" + name]);
  }
  serializer("iteration", iteration_);
}

}  // namespace catena::training
