#include "catena/training/extensions/stop_on_interrupt.h"

#include <atomic>

#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

// The only state that the signal handler accesses.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

void StopOnInterrupt::initialize(Trainer& /*trainer*/) {
  interrupted = false;
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = true; };
  // Handled once; then the default handler, which ends the program.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  former_.emplace();
  ::sigaction(SIGINT, &action, &*former_);
}

void StopOnInterrupt::operator()(Trainer& trainer) {
  if (!interrupted) return;
  raise<Interrupted>("training was interrupted after ",
                     trainer.updater().iteration(), " iterations");
}

void StopOnInterrupt::finalize() {
  if (former_) ::sigaction(SIGINT, &*former_, nullptr);
  former_.reset();
}

}  // namespace catena::training::extensions
