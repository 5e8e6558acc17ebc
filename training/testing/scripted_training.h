#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "catena/links/link.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/sgd.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/trainer.h"

namespace catena::testing {

class Weight : public Link {
 public:
  Weight() : W(this, "W", 1.0, Shape{2}) {}
  Param W;
};

// An updater without data: each update increments the iteration and calls a
// function.
class ScriptedUpdater final : public training::Updater {
 public:
  explicit ScriptedUpdater(double iterations_per_epoch = 2)
      : iterations_per_epoch_(iterations_per_epoch) {
    optimizer.setup(model);
  }

  void update() override {
    ++iteration_;
    if (on_update) on_update(iteration_);
  }
  int64_t iteration() const override { return iteration_; }
  int64_t epoch() const override {
    return static_cast<int64_t>(std::floor(epoch_detail()));
  }
  double epoch_detail() const override {
    return static_cast<double>(iteration_) / iterations_per_epoch_;
  }
  double previous_epoch_detail() const override {
    return static_cast<double>(iteration_ - 1) / iterations_per_epoch_;
  }
  bool is_new_epoch() const override {
    return std::floor(epoch_detail()) != std::floor(previous_epoch_detail());
  }
  const training::OptimizerMap& get_all_optimizers() const override {
    return optimizers_;
  }
  void add_optimizer(const std::string& name, Optimizer& added) {
    optimizers_[name] = &added;
  }
  void finalize() override { ++finalized; }
  void serialize(const Serializer& serializer) override {
    serializer("iteration", iteration_);
  }

  std::function<void(int64_t iteration)> on_update;
  int finalized = 0;
  Weight model;
  optimizers::SGD optimizer;

 private:
  double iterations_per_epoch_;
  int64_t iteration_ = 0;
  training::OptimizerMap optimizers_ = {{"main", &optimizer}};
};

// A trainer over a scripted updater, with a folder for its files.
struct ScriptedTraining {
  explicit ScriptedTraining(training::AnyTrigger stop_trigger,
                            double iterations_per_epoch = 2)
      : updater(iterations_per_epoch),
        trainer(updater, std::move(stop_trigger),
                {.out = folder.file("result")}) {}

  TempFolder folder;
  ScriptedUpdater updater;
  training::Trainer trainer;
};

}  // namespace catena::testing
