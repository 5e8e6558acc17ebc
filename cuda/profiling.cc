// For profilers (array/core/profiling.h).

#include "catena/array/core/profiling.h"

#include <cmath>
#include <memory>

#include "catena/array/core/error.h"
#include "catena/cuda/backend_parts.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/event.h"
#include "catena/cuda/stream.h"

namespace catena::cuda {
namespace {

template <class Value>
int64_t sum_over_pools(Value value) {
  int64_t total = 0;
  for (int device = 0; device < device_count(); ++device) {
    total += value(memory_pool(device).statistics());
  }
  return total;
}

class EventMark final : public DeviceMark {
 public:
  explicit EventMark(int device)
      : event_({.device = device}), stream_(current_stream(device)) {
    event_.record(stream_);
  }
  std::string stream_name() const override {
    return stream_ == nullptr ? str("cuda:", event_.device())
                              : str("cuda:", event_.device(), " stream ",
                                    static_cast<const void*>(stream_));
  }
  void wait() const override { event_.synchronize(); }
  int64_t nanoseconds_since(const DeviceMark& earlier) const override {
    const auto& start = static_cast<const EventMark&>(earlier);
    return std::llround(get_elapsed_time(start.event_, event_) * 1e6);
  }

 private:
  Event event_;
  cudaStream_t stream_;
};

}  // namespace

int64_t reserved_bytes() {
  return sum_over_pools(
      [](const MemoryPoolStatistics& s) { return s.total_bytes(); });
}

int64_t used_bytes() {
  return sum_over_pools(
      [](const MemoryPoolStatistics& s) { return s.used_bytes; });
}

std::shared_ptr<const DeviceMark> mark(int device) {
  return std::make_shared<EventMark>(device);
}

}  // namespace catena::cuda
