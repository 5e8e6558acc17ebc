#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <vector>

#include "catena/cuda/emulation/memory.h"
#include "cuda_runtime_api.h"

// The state of the emulated devices, which the API shares: streams and what
// they have still to do, captures, errors.
namespace catena::cuda::emulation {

// Something that a stream does, once all of `after` is done.
struct Work {
  std::function<void()> run;
  unsigned devices = 0;  // whose memory is open meanwhile
  std::vector<std::shared_ptr<Work>> after;
  std::function<bool()> ready;  // null: it is
  bool done = false;
  std::chrono::steady_clock::time_point finished;
};
using WorkPtr = std::shared_ptr<Work>;

// What a graph does, in this order or any other that `after` allows.
struct Node {
  std::function<void()> run;
  unsigned devices = 0;
  std::vector<size_t> after;
};

// A capture that has begun, on one stream or, by events, on several.
struct Capture {
  cudaStream_t origin = nullptr;
  std::vector<Node> nodes;
  bool invalid = false;
  bool ended = false;
};
using CapturePtr = std::shared_ptr<Capture>;

}  // namespace catena::cuda::emulation

struct CUstream_st {
  int device = 0;
  bool is_null = false;
  bool non_blocking = false;
  std::deque<catena::cuda::emulation::WorkPtr> queue;
  catena::cuda::emulation::WorkPtr last;
  catena::cuda::emulation::CapturePtr capture;
  std::vector<size_t> captured;  // the nodes after which its next one comes
};

struct CUevent_st {
  int device = 0;
  bool timed = true;
  catena::cuda::emulation::WorkPtr work;  // null if it was never recorded
  catena::cuda::emulation::CapturePtr
      capture;  // if it was last recorded in one
  std::vector<size_t> captured;

  // Only until the capture ends. Afterwards the event is one that was never
  // recorded, for which nobody waits.
  bool is_captured() const { return capture != nullptr && !capture->ended; }
};

struct CUgraph_st {
  std::vector<catena::cuda::emulation::Node> nodes;
};
struct CUgraphExec_st {
  std::vector<catena::cuda::emulation::Node> nodes;
};

namespace catena::cuda::emulation {

inline thread_local int current_device = 0;
inline thread_local cudaError_t last_error = cudaSuccess;

// Keeps an error for cudaGetLastError; returns its argument.
inline cudaError_t set_last(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

// Failures on request: the n-th call from now on.
class FailureCountdown {
 public:
  void start(int n) { left_ = n; }
  // Whether the call that asks fails.
  bool strikes() { return left_ >= 0 && left_-- == 0; }

 private:
  int left_ = -1;  // negative: none
};

class Devices {
 public:
  static Devices& get();

  int count() const { return count_; }
  bool exists(int device) const { return device >= 0 && device < count_; }

  // The lock of everything below. Host functions that work runs may call this
  // again.
  std::unique_lock<std::recursive_mutex> lock() {
    return std::unique_lock(mutex_);
  }

  // The error of a kernel, which every later call returns.
  cudaError_t sticky() const { return sticky_; }
  void fail(cudaError_t error) {
    if (sticky_ == cudaSuccess) sticky_ = error;
  }
  // As in a new process: what was not done never is.
  void reset();

  CUstream_st* stream(cudaStream_t stream) {
    return stream != nullptr
               ? stream
               : &null_streams_[static_cast<size_t>(current_device)];
  }
  bool exists(CUstream_st* stream) const {
    return streams_.contains(stream) || is_null_stream(stream);
  }
  cudaStream_t create_stream(bool non_blocking);
  // What it has still to do is done before.
  void destroy(cudaStream_t stream);

  // Adds work to a stream, also to that of a capture, without its being a node.
  WorkPtr enqueue(CUstream_st& stream, std::function<void()> run,
                  unsigned devices, std::vector<WorkPtr> after = {});
  // The same; in a capture, adds a node to the graph instead.
  cudaError_t submit(CUstream_st& stream, std::function<void()> run,
                     unsigned devices);

  // Runs work that may run, in random order, until this is done.
  void wait(WorkPtr work);  // by value: others may come meanwhile
  void wait_for_device(int device);
  void wait_for_all_devices();
  // A query makes progress only if the host asks again and again.
  bool is_done_when_asked(const WorkPtr& work);

  // A wait for a whole device, which captures on it do not survive.
  bool breaks_captures(int device);
  // No stream takes part in it any more.
  void end_capture(const CapturePtr& capture);
  // Runs the nodes of a graph in an order that their edges allow.
  void run_graph(const std::vector<Node>& nodes);

  // A bit for each device whose memory the device's work may touch.
  unsigned devices_open_to(int device) const {
    return peers_[static_cast<size_t>(device)] | 1u << device;
  }
  // False if it was enabled before.
  bool enable_peer(int device, int peer);
  // Whether each may access the other's memory.
  bool are_peers(int device, int other) const {
    return (devices_open_to(device) >> other & 1) != 0 &&
           (devices_open_to(other) >> device & 1) != 0;
  }

  // Counts of calls for which a host waits, of kernels launched, of events
  // created, and of copies between devices without access to each other.
  int64_t host_waits = 0;
  int64_t launches = 0;
  int64_t created_events = 0;
  int64_t staged_copies = 0;

  FailureCountdown failing_allocation;
  FailureCountdown failing_launch;

 private:
  Devices();

  bool is_null_stream(const CUstream_st* stream) const;
  template <class F>
  void for_each_stream(F f);
  // The null stream waits for all blocking streams, and they for it.
  void add_null_stream_order(const CUstream_st& stream, Work& work);
  // False if nothing is left that could run.
  bool run_one();

  std::recursive_mutex mutex_;
  int count_ = 2;
  std::array<CUstream_st, kMaxEmulatedDevices> null_streams_;
  std::set<CUstream_st*> streams_;
  std::array<unsigned, kMaxEmulatedDevices> peers_{};
  std::mt19937 random_;
  cudaError_t sticky_ = cudaSuccess;
  uint64_t queries_ = 0;
  bool is_blocked_ = false;  // when last asked, by work that is not ready
};

// A wait that a capture does not allow: it is invalid afterwards.
inline bool breaks_capture(CUstream_st& stream) {
  if (stream.capture == nullptr) return false;
  stream.capture->invalid = true;
  return true;
}
inline bool breaks_capture(CUevent_st& event) {
  if (!event.is_captured()) return false;
  event.capture->invalid = true;
  return true;
}

// Takes the lock and calls f unless an earlier kernel has failed.
template <class F>
cudaError_t guarded(F f) {
  Devices& devices = Devices::get();
  const auto lock = devices.lock();
  if (devices.sticky() != cudaSuccess) return set_last(devices.sticky());
  const cudaError_t status = f(devices);
  if (status != cudaSuccess) return set_last(status);
  return set_last(devices.sticky());
}

// The same for a stream, which must exist: calls f(devices, stream).
template <class F>
cudaError_t guarded_on(cudaStream_t handle, F f) {
  return guarded([&](Devices& devices) {
    CUstream_st& stream = *devices.stream(handle);
    if (!devices.exists(&stream)) return cudaErrorInvalidResourceHandle;
    return f(devices, stream);
  });
}

// The same for a wait, which the stream's capture, if any, does not survive.
template <class F>
cudaError_t guarded_wait(cudaStream_t handle, F f) {
  return guarded_on(handle, [&](Devices& devices, CUstream_st& stream) {
    if (breaks_capture(stream)) return cudaErrorStreamCaptureUnsupported;
    return f(devices, stream);
  });
}

}  // namespace catena::cuda::emulation
