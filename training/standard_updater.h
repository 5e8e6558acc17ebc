#pragma once

#include <map>
#include <optional>
#include <string>

#include "catena/dataset/convert.h"
#include "catena/dataset/iterator.h"
#include "catena/training/updater.h"

namespace catena::training {

using IteratorMap = std::map<std::string, dataset::Iterator*, std::less<>>;

struct StandardUpdaterOptions {
  dataset::Converter converter = dataset::default_converter();
  // Where minibatches and the optimizers' targets go; by default they stay
  // where they are.
  std::optional<Device> device = std::nullopt;
  // Computes the loss from the arrays of a minibatch; defaults to the target of
  // the main optimizer.
  LossFunction loss_func = nullptr;
};

// The usual iteration: a minibatch of the iterator "main" goes through the
// converter to the loss function, and the optimizer "main" does a step.
// Override update_core() for another. Iterators, optimizers and what they refer
// to must outlive the updater.
class StandardUpdater : public Updater {
 public:
  StandardUpdater(dataset::Iterator& iterator, Optimizer& optimizer,
                  const StandardUpdaterOptions& options = {});
  // ValueError when one of the names "main" is missing, a pointer is null or
  // there is no converter; DeviceError when there is no such device.
  StandardUpdater(IteratorMap iterators, OptimizerMap optimizers,
                  const StandardUpdaterOptions& options = {});
  // Temporaries would be gone.
  StandardUpdater(dataset::Iterator&&, Optimizer&,
                  const StandardUpdaterOptions& = {}) = delete;
  StandardUpdater(dataset::Iterator&, Optimizer&&,
                  const StandardUpdaterOptions& = {}) = delete;

  // update_core(), then the iteration counts.
  void update() final;

  int64_t iteration() const override { return iteration_; }
  int64_t epoch() const override { return main_iterator_->epoch(); }
  double epoch_detail() const override {
    return main_iterator_->epoch_detail();
  }
  double previous_epoch_detail() const override {
    return main_iterator_->previous_epoch_detail().value_or(0);
  }
  bool is_new_epoch() const override { return main_iterator_->is_new_epoch(); }

  const OptimizerMap& get_all_optimizers() const override {
    return optimizers_;
  }
  // ValueError naming those there are.
  dataset::Iterator& get_iterator(std::string_view name) const;

  const dataset::Converter& converter() const { return options_.converter; }
  const LossFunction& loss_func() const { return options_.loss_func; }
  const std::optional<Device>& device() const { return options_.device; }

  // Finalizes the iterators.
  void finalize() override;
  // iterator:NAME, optimizer:NAME and model:NAME of each, and iteration.
  void serialize(const Serializer& serializer) override;

 protected:
  // One iteration.
  virtual void update_core();
  // The next minibatch of an iterator, and the same as variables that need no
  // gradient. ValueError when the iterator has come to its end.
  static dataset::Batch take_batch(dataset::Iterator& iterator);
  std::vector<Variable> next_batch(dataset::Iterator& iterator) const;

 private:
  IteratorMap iterators_;
  OptimizerMap optimizers_;
  StandardUpdaterOptions options_;
  dataset::Iterator* main_iterator_;
  Optimizer* main_optimizer_;
  int64_t iteration_ = 0;
};

}  // namespace catena::training
