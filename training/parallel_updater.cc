#include "catena/training/parallel_updater.h"

#include <algorithm>
#include <set>

#include "catena/array/core/error.h"
#include "catena/links/reporter.h"
#include "catena/training/minibatch.h"
#include "catena/training/target_device.h"
#include "catena/training/trainer.h"

namespace catena::training {
namespace {

constexpr std::string_view kMain = "main";

Device device_of(const NamedDevices& devices, std::string_view name) {
  for (const auto& [other, device] : devices) {
    if (other == name) return device;
  }
  raise<ValueError>("ParallelUpdater: expected a device for the model '", name,
                    "', got none");
}

// The given devices, or those of the models' parameters.
NamedDevices choose_devices(const NamedModels& models,
                            const NamedDevices& given) {
  if (!given.empty()) return given;
  NamedDevices devices;
  for (const auto& [name, model] : models) {
    Placement placement;
    placement.add(name, *model.link);
    devices.emplace_back(
        name,
        one_device(placement, "ParallelUpdater").value_or(current_device()));
  }
  return devices;
}

// Checks that optimizer, models and devices match, and returns the main device.
Device checked_main_device(const Optimizer& optimizer,
                           const NamedModels& models,
                           const NamedDevices& devices) {
  std::set<std::string_view> names;
  for (const auto& [name, device] : devices) {
    if (!names.insert(name).second) {
      raise<ValueError>(
          "ParallelUpdater: expected unique device names, "
          "got '",
          name, "' twice");
    }
    require_device(device, "ParallelUpdater");
  }
  if (!names.contains(kMain)) {
    raise<ValueError>(
        "ParallelUpdater: expected a device named 'main' among the ",
        devices.size(), " devices, got none");
  }
  if (models.size() != devices.size()) {
    raise<ValueError>("ParallelUpdater: expected as many models as devices, ",
                      devices.size(), ", got ", models.size());
  }
  std::set<const Link*> links;
  for (const auto& [name, model] : models) {
    device_of(devices, name);
    if (!links.insert(model.link).second) {
      raise<ValueError>(
          "ParallelUpdater: expected a different model for each device, got "
          "that of '",
          name, "' twice");
    }
    if (name == kMain && model.link != &optimizer.target()) {
      raise<ValueError>(
          "ParallelUpdater: expected the optimizer's target as the main model, "
          "got another link");
    }
  }
  return device_of(devices, kMain);
}

// The optimizer "main"; checks that there is an iterator of that name, too.
const Optimizer& main_one_of(const IteratorMap& iterators,
                             const OptimizerMap& optimizers) {
  const auto optimizer = optimizers.find(kMain);
  if (!iterators.contains(kMain) || optimizer == optimizers.end() ||
      optimizer->second == nullptr) {
    raise<ValueError>(
        "ParallelUpdater: expected an iterator and an optimizer named 'main'");
  }
  return *optimizer->second;
}

}  // namespace

ParallelUpdater::ParallelUpdater(dataset::Iterator& iterator,
                                 Optimizer& optimizer,
                                 const NamedModels& models,
                                 const NamedDevices& devices,
                                 const ParallelUpdaterOptions& options)
    : ParallelUpdater(IteratorMap{{std::string(kMain), &iterator}},
                      OptimizerMap{{std::string(kMain), &optimizer}}, models,
                      devices, options) {}

ParallelUpdater::ParallelUpdater(const IteratorMap& iterators,
                                 const OptimizerMap& optimizers,
                                 const NamedModels& models,
                                 const NamedDevices& devices,
                                 const ParallelUpdaterOptions& options)
    : StandardUpdater(iterators, optimizers,
                      {.converter = options.converter,
                       .device = checked_main_device(
                           main_one_of(iterators, optimizers), models,
                           choose_devices(models, devices))}),
      options_(options) {
  add_workers(models, choose_devices(models, devices));
}

void ParallelUpdater::add_workers(const NamedModels& models,
                                  const NamedDevices& devices) {
  for (const auto& [name, model] : models) {
    const Device device = device_of(devices, name);
    model.link->to_device(device);
    workers_.push_back({name, model.link, model.loss_function, device});
  }
  std::stable_partition(
      workers_.begin(), workers_.end(),
      [](const Worker& worker) { return worker.name == kMain; });
  for (const auto& [name, device] : devices) {
    const auto it = std::ranges::find(workers_, name, &Worker::name);
    order_.push_back(static_cast<size_t>(it - workers_.begin()));
  }
}

ParallelUpdater::ParallelUpdater(dataset::Iterator& iterator,
                                 Optimizer& optimizer, const Copies& copies,
                                 const NamedDevices& devices,
                                 const ParallelUpdaterOptions& options)
    : ParallelUpdater(iterator, optimizer, copies.models, devices, options) {
  owned_ = copies.owned;
}

std::vector<Link*> ParallelUpdater::models() const {
  std::vector<Link*> models;
  for (const size_t i : order_) models.push_back(workers_[i].model);
  return models;
}

std::vector<Device> ParallelUpdater::devices() const {
  std::vector<Device> devices = StandardUpdater::devices();
  for (const Worker& worker : workers_) devices.push_back(worker.device);
  return devices;
}

void ParallelUpdater::connect_trainer(Trainer& trainer) {
  for (const Worker& worker : workers_) {
    if (worker.name == kMain) continue;
    trainer.reporter().add_observer(worker.name, *worker.model);
    trainer.reporter().add_observers(worker.name,
                                     worker.model->namedlinks(true));
  }
}

void ParallelUpdater::update_core() {
  dataset::Iterator& iterator = get_iterator(kMain);
  Optimizer& optimizer = get_optimizer(kMain);
  const dataset::Batch batch = take_batch(iterator);
  const std::vector<Variable> losses = forward(batch);
  for (const Worker& worker : workers_) worker.model->cleargrads();
  for (const Variable& loss : losses) {
    loss.backward({.loss_scale = optimizer.loss_scale()});
  }
  const Link& main = *workers_[0].model;
  for (size_t i = 1; i < workers_.size(); ++i) {
    main.addgrads(*workers_[i].model);
  }
  optimizer.update();
  copy_to_others();
  if (iterator.is_new_epoch()) optimizer.new_epoch();
}

// The main model runs first: its first minibatch may initialize parameters,
// which are then copied to the others.
std::vector<Variable> ParallelUpdater::forward(const dataset::Batch& batch) {
  if (!is_in_step_) copy_to_others();
  is_in_step_ = true;
  const bool initializes = workers_[0].model->has_uninitialized_params();
  const auto count = static_cast<int64_t>(workers_.size());
  std::vector<Variable> losses;
  for (size_t i = 0; i < workers_.size(); ++i) {
    const auto place = std::ranges::find(order_, i) - order_.begin();
    const dataset::Batch share = batch.share(place, count);
    if (share.size() > 0) losses.push_back(loss_of(workers_[i], share));
    if (i == 0 && initializes) copy_to_others();
  }
  return losses;
}

Variable ParallelUpdater::loss_of(const Worker& worker,
                                  const dataset::Batch& batch) const {
  const DeviceScope scope(worker.device);
  const LossInputs inputs =
      variables_of(options_.converter(batch, worker.device));
  return options_.loss_func ? options_.loss_func(*worker.model, inputs)
                            : worker.loss_function(inputs);
}

void ParallelUpdater::copy_to_others() {
  for (size_t i = 1; i < workers_.size(); ++i) {
    workers_[i].model->copyparams(*workers_[0].model);
  }
}

void ParallelUpdater::serialize(const Serializer& serializer) {
  StandardUpdater::serialize(serializer);
  if (!serializer.is_writer()) {
    serializer.on_commit([this] { is_in_step_ = false; });
  }
}

}  // namespace catena::training
