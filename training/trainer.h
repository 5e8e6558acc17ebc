#pragma once

#include <chrono>
#include <concepts>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "catena/links/reporter.h"
#include "catena/serializers/serializer.h"
#include "catena/training/extension.h"
#include "catena/training/trigger.h"
#include "catena/training/updater.h"

namespace catena::training {

struct TrainerOptions {
  NamedFieldsOnly keywords = {};
  // The folder for the extensions' output; created when training starts.
  std::string out = "result";
};

struct ExtendOptions {
  NamedFieldsOnly keywords = {};
  // What is not given is the extension's.
  std::string name = {};
  AnyTrigger trigger = {};
  std::optional<int> priority = std::nullopt;
  // Whether to call it once before the first iteration, too.
  std::optional<bool> invoke_before_training = std::nullopt;
};

struct RunOptions {
  NamedFieldsOnly keywords = {};
  // Whether to print an exception of the loop to standard error at once, since
  // finalization may take long or hang.
  bool show_loop_exception_msg = true;
};

template <class E>
concept ExtensionType = std::derived_from<E, Extension>;
template <class F>
concept ExtensionFunction =
    std::invocable<F, Trainer&> && !std::derived_from<F, Extension>;

// The training loop: an iteration of the updater, then the extensions whose
// triggers fire, repeated until the stop trigger fires.
//
//   StandardUpdater updater(train_iter, optimizer);
//   Trainer trainer(updater, {20, "epoch"}, {.out = "result"});
//   trainer.extend(extensions::Evaluator(test_iter, model));
//   trainer.extend(extensions::LogReport());
//   trainer.run();
//
// Saving a trainer saves all state that changes during training; an identically
// constructed trainer that loads it continues with bit-identical results.
// Constructor arguments are not saved and may differ, such as a later stop
// trigger.
class Trainer {
 public:
  // The updater must outlive the trainer. The links in the optimizers' targets
  // become observers, named by the optimizer and the link's path, such as
  // "main/predictor/l1". Without a stop trigger, training never ends.
  // Throws ValueError when an optimizer has no target yet, or `out` is empty.
  explicit Trainer(Updater& updater, AnyTrigger stop_trigger = {},
                   const TrainerOptions& options = {});
  explicit Trainer(Updater&&, AnyTrigger = {}, const TrainerOptions& = {}) =
      delete;  // a temporary would be gone
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Adds an extension, a shared pointer to one, or a function. Further
  // extensions with the same name become NAME_1, NAME_2, and so on.
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
  // Throws ValueError, listing the existing names, when there is no such name.
  Extension& get_extension(std::string_view name) const;
  // Whether one of two extensions of this trainer runs before the other.
  bool runs_before(const Extension& first, const Extension& second);
  // The only extension of a type, or the one of a name as its type:
  //
  //   const auto& log = trainer.get_extension<LogReport>().log();
  //
  // Throws ValueError, listing the existing names, when there is none of that
  // type, several without a name, or the name is that of another type.
  template <ExtensionType E>
  E& get_extension() const {
    return dynamic_cast<E&>(find_only(typeid(E), [](const Extension& other) {
      return dynamic_cast<const E*>(&other) != nullptr;
    }));
  }
  template <ExtensionType E>
  E& get_extension(std::string_view name) const {
    Extension& found = get_extension(name);
    if (E* extension = dynamic_cast<E*>(&found)) return *extension;
    throw_wrong_type(typeid(E), found);
  }

  // Runs to the end. Then, even after an exception, which is rethrown, the
  // extensions are finalized by priority, then the updater. Throws IoError when
  // the folder `out` cannot be created, ValueError at the second call.
  void run(const RunOptions& options = {});

  // Seconds of training, including the time before the loaded snapshot.
  // Throws ValueError when run() has not been called.
  double elapsed_time() const;

  Updater& updater() { return updater_; }
  const Updater& updater() const { return updater_; }
  const AnyTrigger& stop_trigger() const { return stop_trigger_; }
  const std::string& out() const { return out_; }
  // The path of a file in the folder `out`.
  std::string out_path(std::string_view file) const;
  // The observation of the last iteration; cleared before each iteration.
  Observation& observation() { return observation_; }
  const Observation& observation() const { return observation_; }
  Reporter& reporter() { return reporter_; }

  // Uses Chainer's keys, plus the states of random generators.
  void serialize(const Serializer& serializer);

 private:
  struct Entry {
    std::string name;
    std::shared_ptr<Extension> extension;
    AnyTrigger trigger;
    int priority;
    bool invoke_before_training;
  };
  using Clock = std::chrono::steady_clock;

  void add_extension(std::shared_ptr<Extension> extension,
                     const ExtendOptions& options);
  Entry* find_entry(std::string_view name);
  // The only extension for which is_it returns true, for get_extension.
  Extension& find_only(const std::type_info& type,
                       bool (*is_it)(const Extension&)) const;
  [[noreturn]] static void throw_wrong_type(const std::type_info& wanted,
                                            const Extension& found);
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
