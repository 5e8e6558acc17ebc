#pragma once

#include <cuda_runtime_api.h>

#include "catena/cuda/event.h"
#include "catena/cuda/pinned_memory.h"

// For work that uses what somebody else is to have after it. Where the end of
// the work cannot be noted, since the driver refuses an event, the host waits
// for it, so that nobody has it too early.
namespace catena::cuda {

// Waits for the stream's work, as far as that is possible.
void wait_quietly(int device, cudaStream_t stream) noexcept;

// Records the event on a stream of its device, or else waits for the stream;
// the event then tells of earlier work, which is done.
void record_or_wait(Event& event, cudaStream_t stream) noexcept;

// Frees memory that the work now in the stream uses. The pool does not reuse it
// before that is done.
void free_after_work(PinnedMemory memory, int device,
                     cudaStream_t stream) noexcept;

}  // namespace catena::cuda
