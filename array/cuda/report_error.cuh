#pragma once

#include <cstdint>

#include "catena/array/core/deferred_errors.h"

namespace catena::cuda {

// Reports what a kernel found wrong, unless the operation's earlier report is
// still to be thrown. Any thread may call it.
__device__ inline void report_error(const ErrorReporter& to, int64_t first,
                                    int64_t second = 0, int64_t third = 0,
                                    int64_t fourth = 0) {
  // Read before it is written, since the host may reset it meanwhile. Atomic
  // functions on the host's memory are atomic for the device's own threads,
  // which are all that compete.
  volatile uint32_t* const state = &to.report->state;
  if (*state != DeferredReport::kNone) return;
  if (atomicCAS(&to.report->state, uint32_t{DeferredReport::kNone},
                uint32_t{DeferredReport::kBeingWritten}) !=
      DeferredReport::kNone) {
    return;
  }
  volatile int64_t* const numbers = to.report->numbers;
  numbers[0] = first;
  numbers[1] = second;
  numbers[2] = third;
  numbers[3] = fourth;
  __threadfence_system();
  *state = DeferredReport::kComplete;
  __threadfence_system();
  *const_cast<volatile uint32_t*>(to.any) = 1;
}

}  // namespace catena::cuda
