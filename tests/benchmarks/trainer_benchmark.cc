// The training loop: overhead per iteration, a whole training run on the digits
// that ship with catena, and snapshots.

#include <benchmark/benchmark.h>

#include <string>

#include "catena/array/random/random.h"
#include "catena/dataset/datasets/digits.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/activation/relu.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/model/classifier.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/sgd.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/training.h"

namespace catena::training {
namespace {

namespace F = functions;
namespace L = links;

class Weight : public Link {
 public:
  Weight() : W(this, "W", 1.0, Shape{2}) {}
  Param W;
};

// Only reports values, like a classifier.
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

template <class Extend>
void run_idle(benchmark::State& state, const Extend& extend) {
  const testing::TempFolder folder;
  IdleUpdater updater;
  Trainer trainer(updater, [&](Trainer&) { return !state.KeepRunning(); },
                  {.out = folder.path()});
  extend(trainer);
  trainer.run();
}

// Target: under 20 microseconds.
void trainer_iteration(benchmark::State& state) {
  run_idle(state, [](Trainer&) {});
}
BENCHMARK(trainer_iteration);

void trainer_iteration_with_log_and_five_more(benchmark::State& state) {
  run_idle(state, [](Trainer& trainer) {
    trainer.extend(extensions::LogReport());
    for (int i = 0; i < 5; ++i) {
      trainer.extend([](Trainer&) {}, {.trigger = {1, "epoch"}});
    }
  });
}
BENCHMARK(trainer_iteration_with_log_and_five_more);

class MLP : public Chain<MLP> {
 public:
  MLP(int64_t units, int64_t classes)
      : l1(this, "l1", units), l2(this, "l2", units), l3(this, "l3", classes) {}
  Variable forward(const Variable& x) {
    return l3(F::relu(l2(F::relu(l1(x)))));
  }

 private:
  Child<L::Linear> l1, l2, l3;
};

// examples/mnist/train_mnist without its output: 20 epochs of 15 iterations,
// each epoch with an evaluation, a log entry and optionally a snapshot; both
// files are synced (fsync).
void digits_start_to_finish(benchmark::State& state) {
  const bool has_snapshots = state.range(0) != 0;
  double accuracy = 0;
  for (auto _ : state) {
    const testing::TempFolder folder;
    array::random::seed(0);
    L::Classifier model(MLP(100, 10));
    optimizers::Adam optimizer;
    optimizer.setup(model);
    const auto [train, test] = datasets::get_digits();
    iterators::SerialIterator train_iter(train, 100);
    iterators::SerialIterator test_iter(test, 100,
                                        {.repeat = false, .shuffle = false});
    StandardUpdater updater(train_iter, optimizer);
    Trainer trainer(updater, {20, "epoch"}, {.out = folder.path()});
    trainer.extend(extensions::Evaluator(test_iter, model));
    const auto& log = trainer.extend(extensions::LogReport());
    if (has_snapshots) trainer.extend(extensions::snapshot());
    trainer.run();
    accuracy = log.log().back()["validation/main/accuracy"].as_double();
  }
  state.counters["accuracy"] = accuracy;
}
BENCHMARK(digits_start_to_finish)
    ->ArgName("snapshots")
    ->Arg(0)
    ->Arg(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// 100 MB of random numbers, which are almost incompressible.
class Large : public Link {
 public:
  Large() : W(this, "W", 0.0, Shape{5000, 5000}) {
    W.set_data(array::random::normal(0.0, 1.0, {5000, 5000}, Dtype::kFloat32));
  }
  Param W;
};

void set_model_bytes(benchmark::State& state, const Large& model) {
  state.SetBytesProcessed(state.iterations() * model.count_params() * 4);
}

void snapshot_write(benchmark::State& state) {
  const testing::TempFolder folder;
  Large model;
  for (auto _ : state) {
    serializers::save_npz(folder.file("model.npz"), model,
                          {.compression = state.range(0) != 0});
  }
  set_model_bytes(state, model);
}
BENCHMARK(snapshot_write)
    ->ArgName("compression")
    ->Arg(0)
    ->Arg(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void snapshot_read(benchmark::State& state) {
  const testing::TempFolder folder;
  Large model;
  serializers::save_npz(folder.file("model.npz"), model,
                        {.compression = state.range(0) != 0});
  for (auto _ : state) {
    serializers::load_npz(folder.file("model.npz"), model);
  }
  set_model_bytes(state, model);
}
BENCHMARK(snapshot_read)
    ->ArgName("compression")
    ->Arg(0)
    ->Arg(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catena::training
