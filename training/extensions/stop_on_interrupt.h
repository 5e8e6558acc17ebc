#pragma once

#include <signal.h>

#include <array>
#include <optional>
#include <string>

#include "catena/array/core/error.h"
#include "catena/training/extension.h"

namespace catena::training::extensions {

// Thrown by StopOnInterrupt.
class Interrupted : public Error {
 public:
  using Error::Error;
};

// Stops training cleanly on Ctrl-C (SIGINT) and when the system or a scheduler
// ends the program (SIGTERM): after the current iteration and its extensions,
// throws Interrupted. Extensions are finalized, and snapshots of the trainer
// are written first (snapshot.h), so that training can go on from there. A
// second signal of the same kind ends the program at once. The previous signal
// handlers are restored when training ends. Only one trainer at a time may use
// it.
class StopOnInterrupt final : public Extension {
 public:
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "StopOnInterrupt"; }
  // After snapshots.
  int priority() const override { return -200; }
  void initialize(Trainer& trainer) override;
  void finalize() override;

 private:
  // The former handlers of SIGINT and SIGTERM.
  std::optional<std::array<struct sigaction, 2>> former_;
};

}  // namespace catena::training::extensions
