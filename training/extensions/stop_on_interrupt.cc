#include "catena/training/extensions/stop_on_interrupt.h"

#include <array>
#include <atomic>

#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};

// The signal that came, or 0: the only state that the handler accesses.
std::atomic<int> signal_that_came = 0;
static_assert(std::atomic<int>::is_always_lock_free);

}  // namespace

void StopOnInterrupt::initialize(Trainer& /*trainer*/) {
  signal_that_came = 0;
  struct sigaction action = {};
  action.sa_handler = [](int signal) { signal_that_came = signal; };
  // Handled once; then the default handler, which ends the program.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  former_.emplace();
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &(*former_)[i]);
  }
}

void StopOnInterrupt::operator()(Trainer& trainer) {
  const int signal = signal_that_came;
  if (signal == 0) return;
  raise<Interrupted>("training was ",
                     signal == SIGTERM ? "terminated" : "interrupted",
                     " after ", trainer.updater().iteration(), " iterations");
}

void StopOnInterrupt::finalize() {
  for (size_t i = 0; former_ && i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &(*former_)[i], nullptr);
  }
  former_.reset();
}

}  // namespace catena::training::extensions
