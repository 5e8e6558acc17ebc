#include "catena/cuda/event.h"

#include <array>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "catena/array/core/capture.h"
#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/failure.h"
#include "catena/cuda/host_wait.h"
#include "catena/cuda/stream.h"

namespace catena::cuda {
namespace {

// A device's events that are over, for the next ones without timing. Never
// destroyed, as threads may end after static objects.
class EventPool {
 public:
  static EventPool& of(int device) {
    static auto& all = *new std::array<EventPool, kMaxDevices>;
    return all[static_cast<size_t>(device)];
  }

  // Null if there is none.
  cudaEvent_t take() noexcept {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    const cudaEvent_t event = free_.back();
    free_.pop_back();
    return event;
  }
  void give_back(cudaEvent_t event) {
    const std::lock_guard lock(mutex_);
    free_.push_back(event);
  }

 private:
  std::mutex mutex_;
  std::vector<cudaEvent_t> free_;
};

bool is_capturing(cudaStream_t stream) {
  if (current_capture() == nullptr) return false;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

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
  is_pooled_ = flags == cudaEventDisableTiming;
  if (is_pooled_) event_ = EventPool::of(device_).take();
  if (event_ != nullptr) return;
  check(cudaEventCreateWithFlags(&event_, flags), "cudaEventCreateWithFlags");
}

Event::~Event() {
  if (event_ != nullptr) end();
}

// One that is over is like one that was never recorded. A capture might not
// survive the question.
void Event::end() noexcept {
  if (is_pooled_ && !is_captured_ && current_capture() == nullptr) {
    const cudaError_t status = cudaEventQuery(event_);
    ignore(status);
    try {
      if (status == cudaSuccess) {
        return EventPool::of(device_).give_back(event_);
      }
    } catch (const std::bad_alloc&) {
    }
  }
  ignore(cudaEventDestroy(event_));
}

Event::Event(Event&& other) noexcept
    : event_(std::exchange(other.event_, nullptr)),
      device_(other.device_),
      is_pooled_(other.is_pooled_),
      is_captured_(other.is_captured_) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(event_, other.event_);
  std::swap(device_, other.device_);
  std::swap(is_pooled_, other.is_pooled_);
  std::swap(is_captured_, other.is_captured_);
  return *this;
}

void Event::record() { record(current_stream(device_)); }

void Event::record(cudaStream_t stream) {
  // The null stream is that of the current device.
  const DeviceGuard guard(device_);
  check(cudaEventRecord(event_, stream), "cudaEventRecord");
  is_captured_ = is_capturing(stream);
}

// The driver would end the capture with an error.
void Event::check_not_captured(std::string_view operation) const {
  const Capture* const capture = current_capture();
  if (!is_captured_ || capture == nullptr) return;
  raise<DeviceError>(
      "cuda::Event::", operation,
      ": expected an event that was recorded outside of the capture of ",
      capture->device(),
      ", got one that is part of it and happens only when the graph is "
      "launched; ask for the end of a launch, by an event recorded after it, "
      "or "
      "do not capture this work");
}

bool Event::done() const {
  check_not_captured("done");
  const cudaError_t status = cudaEventQuery(event_);
  if (status == cudaErrorNotReady) {
    ignore(status);
    return false;
  }
  check(status, "cudaEventQuery");
  return true;
}

void Event::synchronize() const {
  check_not_captured("synchronize");
  forbid_capture("it waits for an event");
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
