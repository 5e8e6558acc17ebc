#include "catena/cuda/record_or_wait.h"

#include <exception>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"

namespace catena::cuda {

void wait_quietly(int device, cudaStream_t stream) noexcept {
  try {
    const DeviceGuard guard(device);
    ignore(cudaStreamSynchronize(stream));
  } catch (const Error&) {
    // The context is corrupt, and does no more work.
  }
}

void record_or_wait(Event& event, cudaStream_t stream) noexcept {
  try {
    event.record(stream);
  } catch (const Error&) {
    wait_quietly(event.device(), stream);
  }
}

void free_after_work(PinnedMemory memory, int device,
                     cudaStream_t stream) noexcept {
  try {
    Event done({.device = device, .disable_timing = true});
    done.record(stream);
    memory.free_after(std::move(done));
  } catch (const std::exception&) {
    wait_quietly(device, stream);
  }
}

}  // namespace catena::cuda
