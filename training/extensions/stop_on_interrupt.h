#pragma once

#include <signal.h>

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

// Stops training cleanly on Ctrl-C (SIGINT): after the current iteration and
// its extensions, throws Interrupted, so that extensions are finalized. A
// second Ctrl-C ends the program at once. The previous signal handler is
// restored when training ends. Only one trainer at a time may use it.
class StopOnInterrupt final : public Extension {
 public:
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "StopOnInterrupt"; }
  // After snapshots.
  int priority() const override { return -200; }
  void initialize(Trainer& trainer) override;
  void finalize() override;

 private:
  std::optional<struct sigaction> former_;
};

}  // namespace catena::training::extensions
