#include "catena/cuda/stream.h"

#include <array>
#include <atomic>
#include <memory>
#include <string_view>
#include <utility>

#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/failure.h"
#include "catena/cuda/host_wait.h"

namespace catena::cuda {
namespace {

constinit thread_local std::array<cudaStream_t, kMaxDevices> current_streams{};

std::atomic<internal::StreamObserver*> stream_observer{nullptr};
std::atomic<uint64_t> stream_end_count{0};

}  // namespace

Stream::Stream(const StreamOptions& options)
    : device_(options.device.value_or(default_device())) {
  const DeviceGuard guard(device_);
  check(cudaStreamCreateWithFlags(&stream_, options.non_blocking
                                                ? cudaStreamNonBlocking
                                                : cudaStreamDefault),
        "cudaStreamCreateWithFlags");
}

Stream::~Stream() {
  if (stream_ != nullptr) end();
}

void Stream::end() noexcept {
  if (owns_) {
    ignore(cudaStreamSynchronize(stream_));
  } else {
    try {
      order_after(device_, nullptr, device_, stream_);
    } catch (const Error&) {
      // Unless the context is corrupt, or the stream has ended, it can wait.
      ignore(cudaStreamSynchronize(stream_));
    }
  }
  if (internal::StreamObserver* observer = stream_observer.load()) {
    observer(device_, stream_);
  }
  ++stream_end_count;
  if (owns_) ignore(cudaStreamDestroy(stream_));
}

Stream::Stream(Stream&& other) noexcept
    : stream_(std::exchange(other.stream_, nullptr)),
      device_(other.device_),
      owns_(other.owns_) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(stream_, other.stream_);
  std::swap(device_, other.device_);
  std::swap(owns_, other.owns_);
  return *this;
}

Stream Stream::external(cudaStream_t stream, std::optional<int> device) {
  return Stream(stream, device.value_or(default_device()));
}

Stream Stream::null(std::optional<int> device) {
  return Stream(nullptr, device.value_or(default_device()));
}

bool Stream::done() const {
  const DeviceGuard guard(device_);
  const cudaError_t status = cudaStreamQuery(stream_);
  if (status == cudaErrorNotReady) {
    ignore(status);
    return false;
  }
  check(status, "cudaStreamQuery");
  return true;
}

void Stream::synchronize() const {
  constexpr std::string_view kReason = "it waits for a stream";
  if (stream_ == current_stream(device_)) {
    check_host_wait(device_, "cuda::Stream::synchronize", kReason);
  } else {  // a capture survives it
    forbid_capture(kReason);
  }
  const DeviceGuard guard(device_);
  check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  throw_failure(device_);
}

void Stream::record(Event& event) const { event.record(stream_); }

Event Stream::record() const {
  Event event({.device = device_});
  event.record(stream_);
  return event;
}

void Stream::wait_event(const Event& event) const {
  const DeviceGuard guard(device_);
  check(cudaStreamWaitEvent(stream_, event.ptr(), 0), "cudaStreamWaitEvent");
}

void Stream::add_callback(std::function<void()> callback) const {
  const DeviceGuard guard(device_);
  auto owner = std::make_unique<std::function<void()>>(std::move(callback));
  const auto call_and_free = [](void* data) {
    const std::unique_ptr<std::function<void()>> function(
        static_cast<std::function<void()>*>(data));
    (*function)();
  };
  check(cudaLaunchHostFunc(stream_, call_and_free, owner.get()),
        "cudaLaunchHostFunc");
  static_cast<void>(owner.release());  // now the driver's
}

cudaStream_t current_stream(int device) noexcept {
  return current_streams[device];
}

StreamScope::StreamScope(const Stream& stream)
    : device_(stream.device()),
      previous_(std::exchange(current_streams[device_], stream.ptr())) {}

StreamScope::~StreamScope() { current_streams[device_] = previous_; }

void order_after(int device, cudaStream_t stream, int other_device,
                 cudaStream_t other) {
  if (device == other_device && stream == other) return;
  // A wait uses the event's state at submission, so one event per thread and
  // device serves all waits.
  thread_local std::array<std::optional<Event>, kMaxDevices> events;
  std::optional<Event>& event = events[other_device];
  if (!event)
    event.emplace(EventOptions{.device = other_device, .disable_timing = true});
  event->record(other);
  const DeviceGuard guard(device);
  check(cudaStreamWaitEvent(stream, event->ptr(), 0), "cudaStreamWaitEvent");
}

namespace internal {

void set_stream_observer(StreamObserver* observer) noexcept {
  stream_observer = observer;
}

uint64_t ended_streams() noexcept { return stream_end_count; }

}  // namespace internal
}  // namespace catena::cuda
