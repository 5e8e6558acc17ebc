#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <string_view>

#include "catena/array/core/named_fields_only.h"

// Points in the work of a stream.
namespace catena::cuda {

struct EventOptions {
  NamedFieldsOnly keywords = {};
  // The device of the event; by default the current one.
  std::optional<int> device = std::nullopt;
  // Whether synchronize() sleeps instead of spinning.
  bool block = false;
  // Cheaper, but get_elapsed_time then throws.
  bool disable_timing = false;
  // For cudaIpcGetEventHandle. The constructor throws ValueError when this is
  // set without disable_timing.
  bool interprocess = false;
};

// A point in a stream's work that can be recorded, queried and waited for.
// Movable; a moved-from event may only be assigned or destroyed. Throws
// CudaError. The driver's events with disable_timing alone are used again when
// they are over, rather than created and destroyed.
//
// Recorded in a capture (cuda/graph.h), an event is an edge of the graph, on
// which streams of the capture wait. It has no end of its own: done() and
// synchronize() then throw DeviceError until the capture ends, which stays
// valid, and tell nothing afterwards.
class Event {
 public:
  explicit Event(const EventOptions& options = {});
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;

  cudaEvent_t ptr() const { return event_; }
  int device() const { return device_; }

  // Records the work now in the stream, by default the current stream of the
  // event's device. The stream must be of that device.
  void record();
  void record(cudaStream_t stream);
  // Whether the device has reached the point; true if never recorded.
  bool done() const;
  // Waits until done().
  void synchronize() const;

 private:
  void check_not_captured(std::string_view operation) const;
  void end() noexcept;

  cudaEvent_t event_ = nullptr;
  int device_ = 0;
  bool is_pooled_ = false;
  bool is_captured_ = false;  // when last recorded
};

// Milliseconds on the device between two events recorded with timing. Does not
// wait: throws CudaError (cudaErrorNotReady) when one is not done.
double get_elapsed_time(const Event& start, const Event& end);

}  // namespace catena::cuda
