#include "catena/cuda/emulation/faults.h"

#include <atomic>

namespace catena::cuda::emulation {
namespace {

constinit std::atomic<CallFails> current{nullptr};

}  // namespace

void fail_calls(CallFails fails) { current = fails; }

bool is_to_fail(const char* function) {
  const CallFails fails = current;
  return fails != nullptr && fails(function);
}

}  // namespace catena::cuda::emulation
