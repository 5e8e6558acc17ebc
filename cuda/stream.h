#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "catena/cuda/event.h"

// Queues of a device's work. Everything that catena starts on a GPU goes to the
// thread's current stream of that GPU, at first the null stream, which all
// threads share; so arrays may pass between threads without a thought. Who
// makes a StreamScope takes over the ordering: memory belongs to the stream
// that was current when it was allocated, and another stream that uses it
// must wait (wait_event) and be named to record_use (device_memory.h).
namespace catena::cuda {

struct StreamOptions {
  // Defaults to the current device.
  std::optional<int> device = std::nullopt;
  // Runs beside the null stream instead of waiting for it.
  bool non_blocking = false;
};

// A stream of one device. Movable; a moved-from stream is the null stream.
// CudaError.
class Stream {
 public:
  explicit Stream(const StreamOptions& options = {});
  // Waits for the stream's work and hands its cached memory to the null stream.
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;

  // The device's null stream, which exists always.
  static Stream null(std::optional<int> device = std::nullopt);

  cudaStream_t ptr() const { return stream_; }
  int device() const { return device_; }

  // Whether everything submitted is done.
  bool done() const;
  // Waits until it is.
  void synchronize() const;
  // Marks the end of what is in the stream now.
  void record(Event& event) const;
  Event record() const;
  // Work submitted from now on starts after the event, of any device.
  void wait_event(const Event& event) const;
  // Runs `callback` on a thread of the driver after what is in the stream now;
  // later work waits for it. It must not throw nor call CUDA.
  void add_callback(std::function<void()> callback) const;

 private:
  Stream(cudaStream_t stream, int device) : stream_(stream), device_(device) {}

  cudaStream_t stream_ = nullptr;
  int device_ = 0;
};

// The stream to which this thread's work on the device goes.
cudaStream_t current_stream(int device) noexcept;

// Makes a stream its device's current one, in this thread, for a block. The
// stream must outlive the block.
class StreamScope {
 public:
  explicit StreamScope(const Stream& stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  int device_;
  cudaStream_t previous_;
};

// Work that is submitted to `stream` from now on starts after what is in
// `other` now. The streams may be of two devices. Does nothing when both are
// one.
void order_after(int device, cudaStream_t stream, int other_device,
                 cudaStream_t other);

namespace internal {
// Called by ~Stream after the stream's last work, for those who remember
// streams by their address.
using StreamObserver = void(int device, cudaStream_t stream) noexcept;
void set_stream_observer(StreamObserver* observer) noexcept;
// How many streams have ended: while it is the same, equal addresses are the
// same stream.
uint64_t ended_streams() noexcept;
}  // namespace internal

}  // namespace catena::cuda
