#include "catena/cuda/emulation/runtime.h"

#include <utility>

#include "catena/cuda/emulation/devices.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace catena::cuda::emulation {

int device_count() { return Devices::get().count(); }

cudaError_t submit(cudaStream_t stream, std::function<void()> function,
                   std::initializer_list<int> others) {
  return guarded_on(stream, [&](Devices& devices, CUstream_st& target) {
    unsigned open = devices.devices_open_to(target.device);
    for (const int device : others) open |= 1u << device;
    return devices.submit(target, std::move(function), open);
  });
}

cudaError_t submit_when(cudaStream_t stream, std::function<bool()> ready,
                        std::function<void()> function) {
  return guarded_wait(stream, [&](Devices& devices, CUstream_st& target) {
    devices
        .enqueue(target, std::move(function),
                 devices.devices_open_to(target.device))
        ->ready = std::move(ready);
    return cudaSuccess;
  });
}

void mark_memory([[maybe_unused]] cudaStream_t stream,
                 [[maybe_unused]] const void* data,
                 [[maybe_unused]] size_t usable,
                 [[maybe_unused]] size_t bytes) noexcept {
#ifdef __SANITIZE_ADDRESS__
  static_cast<void>(submit(stream, [=] {
    const auto* const begin = static_cast<const char*>(data);
    ASAN_UNPOISON_MEMORY_REGION(begin, usable);
    ASAN_POISON_MEMORY_REGION(begin + usable, bytes - usable);
  }));
#endif
}

void fail_device(cudaError_t error) { Devices::get().fail(error); }

void fail_allocation(int n) {
  const auto lock = Devices::get().lock();
  Devices::get().failing_allocation.start(n);
}
void fail_launch(int n) {
  const auto lock = Devices::get().lock();
  Devices::get().failing_launch.start(n);
}
int64_t host_waits() {
  const auto lock = Devices::get().lock();
  return Devices::get().host_waits;
}
int64_t launches() {
  const auto lock = Devices::get().lock();
  return Devices::get().launches;
}
int64_t created_events() {
  const auto lock = Devices::get().lock();
  return Devices::get().created_events;
}
int64_t staged_copies() {
  const auto lock = Devices::get().lock();
  return Devices::get().staged_copies;
}
void reset_devices() {
  const auto lock = Devices::get().lock();
  Devices::get().reset();
  last_error = cudaSuccess;
}

}  // namespace catena::cuda::emulation
