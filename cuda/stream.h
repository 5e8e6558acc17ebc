#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "catena/array/core/named_fields_only.h"
#include "catena/cuda/event.h"

// CUDA streams. All GPU work of catena goes to the thread's current stream of
// that GPU, initially the null stream. All threads share it, so arrays can be
// passed between threads without synchronization. Users of StreamScope are
// responsible for ordering: memory belongs to the stream that was current when
// it was allocated, and another stream that uses it must wait (wait_event) and
// be reported to record_use (device_memory.h).
namespace catena::cuda {

struct StreamOptions {
  NamedFieldsOnly keywords = {};
  // The current device by default.
  std::optional<int> device = std::nullopt;
  // Do not synchronize with the null stream.
  bool non_blocking = false;
};

// A stream of one device, which it owns unless it is external() or null().
// Movable; a moved-from stream is the null stream. Throws CudaError.
class Stream {
 public:
  explicit Stream(const StreamOptions& options = {});
  // Waits for the stream's work and moves its cached memory to the null stream.
  // If it is external, the null stream waits in place of the host.
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;

  // A stream of another library, which stays its owner; of `device`, by default
  // the current one. It must outlive this object, and this object the scopes in
  // which it is current.
  static Stream external(cudaStream_t stream,
                         std::optional<int> device = std::nullopt);
  // The device's null stream.
  static Stream null(std::optional<int> device = std::nullopt);

  cudaStream_t ptr() const { return stream_; }
  int device() const { return device_; }

  // Whether all submitted work is done.
  bool done() const;
  // Waits until done().
  void synchronize() const;
  // Record an event after the work now in the stream.
  void record(Event& event) const;
  Event record() const;
  // Makes work submitted from now on wait for the event, which may be of any
  // device.
  void wait_event(const Event& event) const;
  // Runs `callback` on a driver thread after the work now in the stream; later
  // work waits for it. It must not throw or call CUDA.
  void add_callback(std::function<void()> callback) const;

 private:
  Stream(cudaStream_t stream, int device)
      : stream_(stream), device_(device), owns_(false) {}
  void end() noexcept;

  cudaStream_t stream_ = nullptr;
  int device_ = 0;
  bool owns_ = true;
};

// This thread's current stream of the device.
cudaStream_t current_stream(int device) noexcept;

// Makes a stream the current one of its device, in this thread, for a scope.
// The stream must outlive the scope.
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

// Makes work submitted to `stream` from now on wait for the work now in
// `other`. The streams may be on different devices. Does nothing if they are
// the same.
void order_after(int device, cudaStream_t stream, int other_device,
                 cudaStream_t other);

namespace internal {
// Called by ~Stream after the stream's last work, for code that identifies
// streams by their address.
using StreamObserver = void(int device, cudaStream_t stream) noexcept;
void set_stream_observer(StreamObserver* observer) noexcept;
// The number of streams destroyed so far: while it is unchanged, equal
// addresses are the same stream.
uint64_t ended_streams() noexcept;
}  // namespace internal

}  // namespace catena::cuda
