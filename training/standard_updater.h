#pragma once

#include <map>
#include <optional>
#include <string>

#include "catena/autograd/config.h"
#include "catena/dataset/convert.h"
#include "catena/dataset/iterator.h"
#include "catena/optimizers/loss_function.h"
#include "catena/training/captured_steps.h"
#include "catena/training/target_device.h"
#include "catena/training/updater.h"

namespace catena::training {

// Iterators and optimizers, by name.
using IteratorMap = std::map<std::string, dataset::Iterator*, std::less<>>;

struct StandardUpdaterOptions {
  NamedFieldsOnly keywords = {};
  dataset::Converter converter = dataset::default_converter();
  // The device to move minibatches and the optimizers' targets to; a target
  // with parameters on several devices stays there. By default targets stay,
  // and minibatches are moved to the device of their parameters, which must
  // then be on one device.
  std::optional<Device> device = std::nullopt;
  // Computes the loss from the fields of a minibatch; defaults to the
  // optimizer's target.
  LossFunction loss_func = nullptr;
  // How many minibatches an iteration takes for one step of the optimizer, with
  // the mean of their gradients (Optimizer::update_mean), where each counts
  // alike: for losses that are means, and minibatches of one size, a step of
  // one minibatch that large, in the memory of one. What they report is
  // averaged, too. Such steps are not captured.
  int64_t accumulate = 1;
  // Computes products of float32 values in these 16 bits, as by
  // Config::autocast, which counts where this is off; see
  // autograd/autocast.h. With float16, scale the loss, too
  // (Optimizer::loss_scaling).
  AutocastDtype autocast = std::nullopt;
  // Whether to capture the steps in CUDA graphs, which take the host less time;
  // captured_steps.h says what is captured, and what a loss function must not
  // do then. No effect on the CPU.
  Capture capture = Capture::kAuto;
};

// The standard iteration: converts a minibatch of the iterator, computes the
// loss and takes a step of the optimizer; of several iterators or optimizers,
// those named "main". Override update_core() for other iterations, such as
// those of a GAN, whose models have an optimizer each. Iterators, optimizers
// and the objects they refer to must outlive the updater and must not be moved
// any more, since it keeps their addresses.
class StandardUpdater : public Updater {
 public:
  StandardUpdater(dataset::Iterator& iterator, Optimizer& optimizer,
                  const StandardUpdaterOptions& options = {});
  // Throws ValueError when a pointer is null, there is no converter, or
  // accumulate is not positive; DeviceError when the device does not exist;
  // NotImplementedError for Capture::kAlways with accumulate above 1. The
  // default iterator, "main" or the only one, counts epochs; without it,
  // epoch() and the like throw ValueError.
  StandardUpdater(IteratorMap iterators, OptimizerMap optimizers,
                  const StandardUpdaterOptions& options = {});
  // Temporaries would dangle.
  StandardUpdater(dataset::Iterator&&, Optimizer&,
                  const StandardUpdaterOptions& = {}) = delete;
  StandardUpdater(dataset::Iterator&, Optimizer&&,
                  const StandardUpdaterOptions& = {}) = delete;

  // Calls update_core(), then increments the iteration.
  void update() final;

  int64_t iteration() const override { return iteration_; }
  int64_t epoch() const override { return main_iterator().epoch(); }
  double epoch_detail() const override {
    return main_iterator().epoch_detail();
  }
  double previous_epoch_detail() const override;
  bool is_new_epoch() const override;

  const OptimizerMap& get_all_optimizers() const override {
    return optimizers_;
  }
  // Throws ValueError, listing the existing names, when there is no such name.
  dataset::Iterator& get_iterator(std::string_view name) const;
  // The iterator "main", or the only one. Throws ValueError when there are
  // several others.
  dataset::Iterator& main_iterator() const;

  const dataset::Converter& converter() const { return options_.converter; }
  const LossFunction& loss_func() const { return options_.loss_func; }
  // The device that minibatches are moved to: that of the options, or that of
  // the parameters, if there are any. Throws DeviceError, naming two
  // parameters, when they are on several devices.
  std::optional<Device> device() const;

  // Finalizes the iterators, and ends captures.
  void finalize() override;
  // Keys: iterator:NAME, optimizer:NAME and model:NAME for each, and iteration.
  void serialize(const Serializer& serializer) override;

 protected:
  // One iteration; an override that captures its steps does so with
  // CapturedSteps, whatever the option is. Throws ValueError when there are
  // several iterators, or optimizers, and none of them is named "main".
  virtual void update_core();
  // The next minibatch of an iterator; next_batch returns it, on device(), as
  // variables without gradient, or lists of them where the converter gives
  // lists. Throws ValueError when the iterator has ended.
  static dataset::Batch take_batch(dataset::Iterator& iterator);
  LossInputs next_batch(dataset::Iterator& iterator) const;

 private:
  void update_with_several();

  IteratorMap iterators_;
  OptimizerMap optimizers_;
  StandardUpdaterOptions options_;
  MinibatchDevice device_;
  dataset::Iterator* main_iterator_;  // null when there is none
  std::optional<CapturedSteps> captured_;
  int64_t iteration_ = 0;
  // What the last iteration, which took several minibatches, has come by.
  struct Progress {
    double previous_epoch_detail;
    bool is_new_epoch;
  };
  std::optional<Progress> progress_;
};

}  // namespace catena::training
