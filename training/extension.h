#pragma once

#include <exception>
#include <functional>
#include <string>
#include <utility>

#include "catena/serializers/serializer.h"
#include "catena/training/trigger.h"

namespace catena::training {

// Extensions run in descending order of priority: first those that add values
// to the observation, then those that change values, then those that only read.
inline constexpr int PRIORITY_WRITER = 300;
inline constexpr int PRIORITY_EDITOR = 200;
inline constexpr int PRIORITY_READER = 100;

// Something that a trainer does besides updating parameters, whenever the
// extension's trigger fires. Trainer::extend can override the default name,
// trigger, priority and whether it is called before training.
class Extension {
 public:
  virtual ~Extension() = default;

  virtual void operator()(Trainer& trainer) = 0;

  // The name of the class, without namespaces, unless overridden.
  virtual std::string default_name() const;
  virtual AnyTrigger trigger() const { return {1, "iteration"}; }
  virtual int priority() const { return PRIORITY_READER; }
  // Whether it is also called once before the first iteration.
  virtual bool invoke_before_training() const { return false; }

  // Called once when training starts, before any extension is initialized; load
  // snapshots here.
  virtual void load(Trainer& /*trainer*/) {}
  // Called once before the first iteration, and once after the last iteration
  // or an exception.
  virtual void initialize(Trainer& /*trainer*/) {}
  // Called when the loop has thrown, before finalize(). If on_error itself
  // throws, that exception is printed to standard error and the first one is
  // kept.
  virtual void on_error(Trainer& /*trainer*/, std::exception_ptr /*error*/) {}
  virtual void finalize() {}
  virtual void serialize(const Serializer& /*serializer*/) {}
  // The name of the file in the trainer's folder that it writes, as in its
  // options; empty for none. Trainer::extend refuses a second extension with
  // the same file.
  virtual std::string file() const { return {}; }

  // The name in the trainer; empty outside a trainer.
  const std::string& name() const { return name_; }

 private:
  friend class Trainer;
  std::string name_;
};

struct MakeExtensionOptions {
  NamedFieldsOnly keywords = {};
  AnyTrigger trigger = {1, "iteration"};
  std::string default_name = "extension";
  int priority = PRIORITY_READER;
  bool invoke_before_training = false;
  std::function<void(Trainer&)> initializer = nullptr;
  std::function<void()> finalizer = nullptr;
  std::function<void(Trainer&, std::exception_ptr)> on_error = nullptr;
};

// An extension that calls a function:
//   trainer.extend(make_extension([](Trainer& trainer) { ... },
//                                 {.trigger = {1, "epoch"}}));
class FunctionExtension final : public Extension {
 public:
  FunctionExtension(std::function<void(Trainer&)> function,
                    const MakeExtensionOptions& options)
      : function_(std::move(function)), options_(options) {}

  void operator()(Trainer& trainer) override { function_(trainer); }
  std::string default_name() const override { return options_.default_name; }
  AnyTrigger trigger() const override { return options_.trigger; }
  int priority() const override { return options_.priority; }
  bool invoke_before_training() const override {
    return options_.invoke_before_training;
  }
  void initialize(Trainer& trainer) override {
    if (options_.initializer) options_.initializer(trainer);
  }
  void finalize() override {
    if (options_.finalizer) options_.finalizer();
  }
  void on_error(Trainer& trainer, std::exception_ptr error) override {
    if (options_.on_error) options_.on_error(trainer, std::move(error));
  }

 private:
  std::function<void(Trainer&)> function_;
  MakeExtensionOptions options_;
};

// Throws ValueError when there is no function.
FunctionExtension make_extension(std::function<void(Trainer&)> function,
                                 const MakeExtensionOptions& options = {});

}  // namespace catena::training
