#pragma once

#include <cuda_runtime_api.h>

#include <optional>

// Points in the work of a stream.
namespace catena::cuda {

struct EventOptions {
  // Where the event can be recorded; defaults to the current device.
  std::optional<int> device = std::nullopt;
  // Whether synchronize() sleeps instead of spinning.
  bool block = false;
  // Cheaper, but get_elapsed_time refuses it.
  bool disable_timing = false;
  // For cudaIpcGetEventHandle; needs disable_timing, else ValueError.
  bool interprocess = false;
};

// A point in a stream's work: recorded, then asked or waited for. Movable; a
// moved-from event may only be assigned or destroyed. CudaError.
class Event {
 public:
  explicit Event(const EventOptions& options = {});
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;

  cudaEvent_t ptr() const { return event_; }
  int device() const { return device_; }

  // Marks the end of what is in the stream now, which defaults to the current
  // stream of the event's device and must be of that device.
  void record();
  void record(cudaStream_t stream);
  // Whether the device has come past the point; true when never recorded.
  bool done() const;
  // Waits until it has.
  void synchronize() const;

 private:
  cudaEvent_t event_ = nullptr;
  int device_ = 0;
};

// Milliseconds of the device between two events that were recorded with timing.
// Waits for neither: CudaError (cudaErrorNotReady) when one is not done.
double get_elapsed_time(const Event& start, const Event& end);

}  // namespace catena::cuda
