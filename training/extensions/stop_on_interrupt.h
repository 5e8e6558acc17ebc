#pragma once

#include <signal.h>

#include <optional>
#include <string>

#include "catena/array/error.h"
#include "catena/training/extension.h"

namespace catena::training::extensions {

// What StopOnInterrupt throws.
class Interrupted : public Error {
 public:
  using Error::Error;
};

// Lets Ctrl-C (SIGINT) end training in good order: after the iteration that it
// falls in, and its extensions, Interrupted is thrown, so that extensions are
// finalized. A second Ctrl-C ends the program at once. The signal's former
// meaning returns with the end of training. One trainer of a program at a time
// may have it.
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
