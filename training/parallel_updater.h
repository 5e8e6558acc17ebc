#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catena/optimizers/loss_function.h"
#include "catena/training/standard_updater.h"

namespace catena::training {

// Devices by the names of their models, one of them "main", in the order in
// which examples are distributed:
//   {{"main", cuda_device(0)}, {"second", cuda_device(1)}}
using NamedDevices = std::vector<std::pair<std::string, Device>>;

// A model, which must outlive the ParallelUpdater, and the function that
// computes its loss from the fields of a minibatch.
struct ParallelModel {
  template <class L>
  requires std::derived_from<L, Link> ParallelModel(L& model)
      : link(&model), loss_function(loss_function_of(model)) {}
  template <class L>
  ParallelModel(const L&&) = delete;  // a temporary would dangle

  Link* link;
  LossFunction loss_function;
};
// Copies of a model, by name; "main" is the one that is updated.
using NamedModels = std::vector<std::pair<std::string, ParallelModel>>;

struct ParallelUpdaterOptions {
  NamedFieldsOnly keywords = {};
  dataset::Converter converter = dataset::default_converter();
  // Computes the loss of each model; defaults to the models themselves.
  std::function<Variable(Link& model, const LossInputs& inputs)> loss_func =
      nullptr;
};

// Synchronous data parallelism over the devices of one process: each of n
// models gets every n-th example of a minibatch and computes gradients on its
// device. The sum of the gradients updates the main model, whose parameters and
// persistent values are then copied to the others. If losses are means over
// examples, the sum is n times the gradient of the whole minibatch: divide the
// learning rate by n, or multiply the batch size by n.
//
// One thread drives all devices: GPUs run concurrently, since their work is
// asynchronous; native devices take turns, each using all cores.
//
//   L::Classifier model(MLP(1000, 10));
//   optimizer.setup(model);
//   ParallelUpdater updater(train_iter, optimizer, model,
//                           {{"main", cuda_device(0)},
//                            {"second", cuda_device(1)}});
class ParallelUpdater : public StandardUpdater {
 public:
  // `model` is the optimizer's target. It is moved to the device "main", and
  // each other device gets a copy. Uninitialized parameters are initialized
  // once, at the first minibatch, for all models. Throws ValueError when the
  // optimizer has another target, "main" is missing or a name is used twice;
  // DeviceError when a device does not exist.
  template <class L>
  requires std::derived_from<L, Link> && std::copy_constructible<L>
  ParallelUpdater(dataset::Iterator& iterator, Optimizer& optimizer, L& model,
                  const NamedDevices& devices,
                  const ParallelUpdaterOptions& options = {})
      : ParallelUpdater(iterator, optimizer, copies_of(model, devices), devices,
                        options) {}
  // Takes existing models of the same structure, one for each device; "main" is
  // the optimizer's target. They are moved to the devices; without any, each
  // stays on the device of its parameters. Throws ValueError when the names of
  // models and devices differ; DeviceError when there are no devices and the
  // parameters of a model are on several.
  ParallelUpdater(dataset::Iterator& iterator, Optimizer& optimizer,
                  const NamedModels& models, const NamedDevices& devices = {},
                  const ParallelUpdaterOptions& options = {});
  // Takes several iterators and optimizers, for an update_core() of your own;
  // that of this class uses those named "main". Throws ValueError, too, when
  // one of these is missing or null.
  ParallelUpdater(const IteratorMap& iterators, const OptimizerMap& optimizers,
                  const NamedModels& models, const NamedDevices& devices = {},
                  const ParallelUpdaterOptions& options = {});

  // The models in the order of their devices.
  std::vector<Link*> models() const;

  std::vector<Device> devices() const override;
  // Values reported by the other models are observed under their names:
  // "second/loss".
  void connect_trainer(Trainer& trainer) override;
  void serialize(const Serializer& serializer) override;

 protected:
  // Throws ValueError when the iterator has ended.
  void update_core() override;

 private:
  struct Worker {
    std::string name;
    Link* model;
    LossFunction loss_function;
    Device device;
  };
  // All models, and the copies that this object owns.
  struct Copies {
    NamedModels models;
    std::vector<std::shared_ptr<Link>> owned;
  };

  template <class L>
  static Copies copies_of(L& model, const NamedDevices& devices);
  ParallelUpdater(dataset::Iterator& iterator, Optimizer& optimizer,
                  const Copies& copies, const NamedDevices& devices,
                  const ParallelUpdaterOptions& options);
  void add_workers(const NamedModels& models, const NamedDevices& devices);

  std::vector<Variable> forward(const dataset::Batch& batch);
  Variable loss_of(const Worker& worker, const dataset::Batch& batch) const;
  void copy_to_others();

  std::vector<std::shared_ptr<Link>> owned_;
  std::vector<Worker> workers_;  // the main one first
  std::vector<size_t> order_;    // positions in workers_, in device order
  ParallelUpdaterOptions options_;
  bool is_in_step_ = false;  // whether all have the main model's parameters
};

template <class L>
ParallelUpdater::Copies ParallelUpdater::copies_of(
    L& model, const NamedDevices& devices) {
  Copies copies;
  for (const auto& [name, device] : devices) {
    if (name == "main") {
      copies.models.emplace_back(name, model);
      continue;
    }
    const auto copy = std::make_shared<L>(model);
    copies.models.emplace_back(name, *copy);
    copies.owned.push_back(copy);
  }
  return copies;
}

}  // namespace catena::training
