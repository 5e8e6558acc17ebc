#pragma once

#include <chrono>
#include <concepts>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/links/reporter.h"
#include "catena/serializers/serializer.h"
#include "catena/training/extension.h"
#include "catena/training/trigger.h"
#include "catena/training/updater.h"

namespace catena::training {

struct TrainerOptions {
  // The folder for what extensions write; made when training starts.
  std::string out = "result";
};

struct ExtendOptions {
  // Defaults to the extension's own.
  std::string name = {};
  AnyTrigger trigger = {};
  std::optional<int> priority = std::nullopt;
  // Whether to call it once before the first iteration too.
  bool call_before_training = false;
};

struct RunOptions {
  // Whether what the loop throws is told on standard error at once: what
  // finalizes may take its time, or not come back.
  bool show_loop_exception_msg = true;
};

template <class E>
concept ExtensionType = std::derived_from<E, Extension>;
template <class F>
concept ExtensionFunction =
    std::invocable<F, Trainer&> && !std::derived_from<F, Extension>;

// The training loop: an iteration of the updater, then the extensions whose
// triggers fire, and so on until the stop trigger fires.
//
//   StandardUpdater updater(train_iter, optimizer);
//   Trainer trainer(updater, {20, "epoch"}, {.out = "result"});
//   trainer.extend(extensions::Evaluator(test_iter, model));
//   trainer.extend(extensions::LogReport());
//   trainer.run();
//
// Saving a trainer saves all that changes while it runs; a trainer made the
// same way that loads it continues with the same numbers, to the bit. What was
// given to constructors is not saved and may differ, as a longer stop trigger.
class Trainer {
 public:
  // The updater must outlive the trainer. The links of its optimizers' targets
  // become observers, named as the optimizer and the link's path, such as
  // "main/predictor/l1". Without a stop trigger training does not end.
  // ValueError when an optimizer has no target yet, or `out` is empty.
  explicit Trainer(Updater& updater, AnyTrigger stop_trigger = {},
                   const TrainerOptions& options = {});
  explicit Trainer(Updater&&, AnyTrigger = {}, const TrainerOptions& = {}) =
      delete;  // a temporary would be gone
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Takes over an extension, or shares one, or calls a function as one. Of
  // several of one name the second becomes NAME_1, the third NAME_2, and so on.
  template <ExtensionType E>
  E& extend(E extension, const ExtendOptions& options = {}) {
    auto shared = std::make_shared<E>(std::move(extension));
    add_extension(shared, options);
    return *shared;
  }
  template <ExtensionType E>
  E& extend(std::shared_ptr<E> extension, const ExtendOptions& options = {}) {
    add_extension(extension, options);
    return *extension;
  }
  template <ExtensionFunction F>
  void extend(F function, const ExtendOptions& options = {}) {
    extend(make_extension(std::move(function)), options);
  }
  // ValueError naming those there are.
  Extension& get_extension(std::string_view name) const;

  // Runs to the end. Extensions by priority, then the updater, are finalized
  // then, and also when something throws, which goes on to the caller. IoError
  // when the folder `out` cannot be made, ValueError at the second call.
  void run(const RunOptions& options = {});

  // Seconds of training, with those before the snapshot this one continues.
  // ValueError before run().
  double elapsed_time() const;

  Updater& updater() { return updater_; }
  const Updater& updater() const { return updater_; }
  const AnyTrigger& stop_trigger() const { return stop_trigger_; }
  const std::string& out() const { return out_; }
  // The path of a file in the folder `out`.
  std::string out_path(std::string_view file) const;
  // What was observed in the last iteration; fresh in each.
  Observation& observation() { return observation_; }
  const Observation& observation() const { return observation_; }
  Reporter& reporter() { return reporter_; }

  // In Chainer's keys, with the states of random generators added.
  void serialize(const Serializer& serializer);

 private:
  struct Entry {
    std::string name;
    std::shared_ptr<Extension> extension;
    AnyTrigger trigger;
    int priority;
    bool call_before_training;
  };
  using Clock = std::chrono::steady_clock;

  void add_extension(std::shared_ptr<Extension> extension,
                     const ExtendOptions& options);
  Entry* find_entry(std::string_view name);
  std::vector<Entry*> entries_by_priority();
  void start(const std::vector<Entry*>& entries);
  void loop(const std::vector<Entry*>& entries);
  void handle_error(const std::vector<Entry*>& entries,
                    const std::exception_ptr& error, const RunOptions& options);
  void finalize(const std::vector<Entry*>& entries);
  void serialize_generators(const Serializer& serializer);

  Updater& updater_;
  AnyTrigger stop_trigger_;
  std::string out_;
  Observation observation_;
  Reporter reporter_;
  std::vector<std::unique_ptr<Entry>> entries_;

  std::optional<Clock::time_point> start_at_;
  std::optional<double> final_elapsed_time_;
  double snapshot_elapsed_time_ = 0;
};

}  // namespace catena::training
