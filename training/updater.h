#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catena/optimizers/optimizer.h"
#include "catena/serializers/serializer.h"

namespace catena::training {

class Trainer;

// Optimizers by name. The default is "main", or the only one.
using OptimizerMap = std::map<std::string, Optimizer*, std::less<>>;

// Does one iteration of training: takes a minibatch, computes a loss, updates
// parameters.
class Updater {
 public:
  virtual ~Updater() = default;
  Updater(const Updater&) = delete;
  Updater& operator=(const Updater&) = delete;

  // One iteration.
  virtual void update() = 0;

  // Completed iterations; epochs, with their fraction, now and before the last
  // iteration; whether the last iteration completed an epoch.
  virtual int64_t iteration() const = 0;
  virtual int64_t epoch() const = 0;
  virtual double epoch_detail() const = 0;
  virtual double previous_epoch_detail() const = 0;
  virtual bool is_new_epoch() const = 0;

  virtual const OptimizerMap& get_all_optimizers() const = 0;
  // Throws ValueError, listing the existing names, when there is no such name.
  Optimizer& get_optimizer(std::string_view name) const;
  // The optimizer "main", or the only one. Throws ValueError when there are
  // several others.
  Optimizer& main_optimizer() const;

  // The devices used, whose random generators are saved with the trainer:
  // native:0 and those of the optimizers' parameters.
  virtual std::vector<Device> devices() const;

  // Called by the trainer's constructor; may register observers.
  virtual void connect_trainer(Trainer& /*trainer*/) {}
  // Called at the end of training, even after an exception.
  virtual void finalize() {}
  virtual void serialize(const Serializer& /*serializer*/) {}

 protected:
  Updater() = default;
};

}  // namespace catena::training
