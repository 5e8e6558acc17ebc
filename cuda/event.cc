#include "catena/cuda/event.h"

#include <utility>

#include "catena/array/device.h"
#include "catena/array/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/failure.h"
#include "catena/cuda/stream.h"

namespace catena::cuda {
namespace {

unsigned flags_of(const EventOptions& options) {
  if (options.interprocess && !options.disable_timing) {
    raise<ValueError>(
        "cuda::Event: interprocess expects disable_timing == true, got false");
  }
  return (options.block ? cudaEventBlockingSync : 0u) |
         (options.disable_timing ? cudaEventDisableTiming : 0u) |
         (options.interprocess ? cudaEventInterprocess : 0u);
}

}  // namespace

Event::Event(const EventOptions& options) {
  const unsigned flags = flags_of(options);
  device_ = options.device.value_or(default_device());
  const DeviceGuard guard(device_);
  check(cudaEventCreateWithFlags(&event_, flags), "cudaEventCreateWithFlags");
}

Event::~Event() {
  if (event_ != nullptr) ignore(cudaEventDestroy(event_));
}

Event::Event(Event&& other) noexcept
    : event_(std::exchange(other.event_, nullptr)), device_(other.device_) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(event_, other.event_);
  std::swap(device_, other.device_);
  return *this;
}

void Event::record() { record(current_stream(device_)); }

void Event::record(cudaStream_t stream) {
  // The null stream is that of the current device.
  const DeviceGuard guard(device_);
  check(cudaEventRecord(event_, stream), "cudaEventRecord");
}

bool Event::done() const {
  const cudaError_t status = cudaEventQuery(event_);
  if (status == cudaErrorNotReady) {
    ignore(status);
    return false;
  }
  check(status, "cudaEventQuery");
  return true;
}

void Event::synchronize() const {
  check(cudaEventSynchronize(event_), "cudaEventSynchronize");
  throw_failure(device_);
}

double get_elapsed_time(const Event& start, const Event& end) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start.ptr(), end.ptr()),
        "cudaEventElapsedTime");
  return milliseconds;
}

}  // namespace catena::cuda
