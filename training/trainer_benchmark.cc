// What an iteration of the loop costs beside the update itself.

#include <benchmark/benchmark.h>

#include "catena/links/link.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/sgd.h"
#include "catena/training/extensions/log_report.h"
#include "catena/training/trainer.h"

namespace catena::training {
namespace {

class Weight : public Link {
 public:
  Weight() : W(this, "W", 1.0, Shape{2}) {}
  Param W;
};

// Only reports, as a classifier does.
class IdleUpdater final : public Updater {
 public:
  IdleUpdater() { optimizer_.setup(model_); }
  void update() override {
    ++iteration_;
    report({{"loss", 0.5}, {"accuracy", 0.5}}, &model_);
  }
  int64_t iteration() const override { return iteration_; }
  int64_t epoch() const override { return 0; }
  double epoch_detail() const override {
    return static_cast<double>(iteration_) * 1e-9;
  }
  double previous_epoch_detail() const override { return epoch_detail(); }
  bool is_new_epoch() const override { return false; }
  const OptimizerMap& get_all_optimizers() const override {
    return optimizers_;
  }

 private:
  int64_t iteration_ = 0;
  Weight model_;
  optimizers::SGD optimizer_;
  OptimizerMap optimizers_ = {{"main", &optimizer_}};
};

void loop(benchmark::State& state) {
  IdleUpdater updater;
  Trainer trainer(updater, [&](Trainer&) { return !state.KeepRunning(); },
                  {.out = "/tmp"});
  trainer.extend(extensions::LogReport());
  for (int i = 0; i < 5; ++i) {
    trainer.extend([](Trainer&) {}, {.trigger = {1, "epoch"}});
  }
  trainer.run();
}
BENCHMARK(loop);

}  // namespace
}  // namespace catena::training
