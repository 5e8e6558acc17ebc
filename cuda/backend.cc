// Installs CUDA's BackendTable (array/core/backend.h) when it is linked.

#include "catena/array/core/backend.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "catena/array/core/capture.h"
#include "catena/array/core/deferred_errors.h"
#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/array/core/work_record.h"
#include "catena/cuda/backend_parts.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/event.h"
#include "catena/cuda/failure.h"
#include "catena/cuda/host_wait.h"
#include "catena/cuda/missing_gpu.h"
#include "catena/cuda/pinned_memory.h"
#include "catena/cuda/profiler.h"
#include "catena/cuda/record_or_wait.h"
#include "catena/cuda/stream.h"

namespace catena::cuda {
namespace {

// Copies from the host go through page-locked memory, since the runtime waits
// for the device before it reads other memory.
constexpr int64_t kChunk = 4 << 20;
// For each device; beyond, the host waits for the oldest copy.
constexpr size_t kMaxChunks = 64;

// The page-locked memory of a device's large copies, in the order of the
// copies.
class Staging {
 public:
  struct Chunk {
    PinnedMemory memory;
    Event copied;
  };

  static Staging& of(int device) {
    static std::array<std::atomic<Staging*>, kMaxDevices> all{};
    std::atomic<Staging*>& own = all[static_cast<size_t>(device)];
    if (own.load() == nullptr) {
      auto made = std::unique_ptr<Staging>(new Staging(device));
      Staging* none = nullptr;
      if (own.compare_exchange_strong(none, made.get()))
        static_cast<void>(made.release());
    }
    return *own.load();
  }

  // A chunk whose last copy is done.
  Chunk take() {
    std::unique_lock lock(mutex_);
    const bool is_full = chunks_.size() >= kMaxChunks;
    if (!is_full && (chunks_.empty() || !chunks_.front().copied.done())) {
      lock.unlock();
      return {PinnedMemory(kChunk),
              Event({.device = device_, .disable_timing = true})};
    }
    Chunk oldest = std::move(chunks_.front());
    chunks_.pop_front();
    lock.unlock();
    if (is_full) {
      check(cudaEventSynchronize(oldest.copied.ptr()), "cudaEventSynchronize");
    }
    return oldest;
  }
  // After `copied` was recorded.
  void give_back(Chunk chunk) {
    const std::lock_guard lock(mutex_);
    chunks_.push_back(std::move(chunk));
  }

 private:
  explicit Staging(int device) : device_(device) {}

  const int device_;
  std::mutex mutex_;
  std::deque<Chunk> chunks_;
};

int count_devices() { return device_count(); }

void* allocate(Device device, int64_t bytes) {
  return memory_pool(device.index())
      .allocate(bytes, current_stream(device.index()));
}

void deallocate(Device device, void* data, int64_t /*bytes*/) noexcept {
  memory_pool(device.index()).deallocate(data, current_stream(device.index()));
}

void copy_in_chunks(char* to, int device, const char* from, int64_t bytes,
                    cudaStream_t stream) {
  Staging& staging = Staging::of(device);
  for (int64_t begin = 0; begin < bytes; begin += kChunk) {
    const int64_t size = std::min(kChunk, bytes - begin);
    Staging::Chunk chunk = staging.take();
    std::memcpy(chunk.memory.ptr(), from + begin, static_cast<size_t>(size));
    copy_async(to + begin, chunk.memory.ptr(), size, device, stream);
    record_or_wait(chunk.copied, stream);
    staging.give_back(std::move(chunk));
  }
}

void copy_from_host(void* to, int device, const void* from, int64_t bytes) {
  const cudaStream_t stream = current_stream(device);
  if (WorkRecord* record = current_work_record()) {
    record->add_bytes(from, static_cast<size_t>(bytes));
  }
  if (Capture* capture = current_capture(cuda_device(device))) {
    // Each launch of the graph copies from there again.
    auto staging = std::make_shared<PinnedMemory>(bytes);
    std::memcpy(staging->ptr(), from, static_cast<size_t>(bytes));
    copy_async(to, staging->ptr(), bytes, device, stream);
    capture->keep(std::move(staging));
    return;
  }
  if (bytes > kChunk / 4) {
    copy_in_chunks(static_cast<char*>(to), device,
                   static_cast<const char*>(from), bytes, stream);
    return;
  }
  PinnedMemory staging(bytes);
  std::memcpy(staging.ptr(), from, static_cast<size_t>(bytes));
  copy_async(to, staging.ptr(), bytes, device, stream);
  free_after_work(std::move(staging), device, stream);
}

void copy_to_host(void* to, const void* from, int device, int64_t bytes) {
  check_host_wait(device, "copy to the host");
  const cudaStream_t stream = current_stream(device);
  copy_async(to, from, bytes, device, stream);
  {
    const DeviceGuard guard(device);
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
  throw_failure(device);
}

// Without access to each other's memory the driver takes copies through the
// host.
void enable_access_once(int device, int peer) {
  using Flags = std::array<std::once_flag, kMaxDevices>;
  static auto& asked = *new std::array<Flags, kMaxDevices>;
  std::call_once(asked[static_cast<size_t>(device)][static_cast<size_t>(peer)],
                 enable_peer_access, device, peer);
}

// The streams wait for each other, since earlier work may still write the
// source or read the target's memory.
void copy_between_devices(void* to, int to_device, const void* from,
                          int from_device, int64_t bytes) {
  forbid_capture("it copies from a GPU to another");
  // A capture has the work of one device, and could not wait for the other's.
  if (const Capture* const capture = current_capture()) {
    if (capture->device() == cuda_device(to_device) ||
        capture->device() == cuda_device(from_device)) {
      raise<DeviceError>("copy from ", cuda_device(from_device), " to ",
                         cuda_device(to_device),
                         ": expected no capture of either, got one of ",
                         capture->device(),
                         "; copy before or after the launch, or do not capture "
                         "this work");
    }
  }
  enable_access_once(to_device, from_device);
  enable_access_once(from_device, to_device);
  const cudaStream_t to_stream = current_stream(to_device);
  const cudaStream_t from_stream = current_stream(from_device);
  order_after(to_device, to_stream, from_device, from_stream);
  {
    const DeviceGuard guard(to_device);
    check(cudaMemcpyPeerAsync(to, to_device, from, from_device,
                              static_cast<size_t>(bytes), to_stream),
          "cudaMemcpyPeerAsync");
  }
  order_after(from_device, from_stream, to_device, to_stream);
}

void copy(void* to, Device to_device, const void* from, Device from_device,
          int64_t bytes) {
  if (bytes == 0) return;
  if (from_device.is_native()) {
    copy_from_host(to, to_device.index(), from, bytes);
  } else if (to_device.is_native()) {
    copy_to_host(to, from, from_device.index(), bytes);
  } else if (to_device == from_device) {
    const int device = to_device.index();
    copy_async(to, from, bytes, device, current_stream(device));
  } else {
    copy_between_devices(to, to_device.index(), from, from_device.index(),
                         bytes);
  }
}

void synchronize_device(Device device) { synchronize(device.index()); }

std::string why_no_gpu() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  ignore(status);
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return explain_missing_gpu(
      {.driver_version = driver_version(),
       .runtime_version = runtime_version(),
       .error = status == cudaSuccess ? "" : cudaGetErrorName(status),
       .visible_devices = visible == nullptr ? "" : visible});
}

std::string describe(Device device) {
  if (!available()) return why_no_gpu();
  const DeviceProperties& found = properties(device.index());
  return str(found.name, " (compute capability ", found.major, ".", found.minor,
             ", ", found.memory_bytes >> 30, " GiB)");
}

DeferredReports* allocate_reports(Device device) {
  // Never freed, as kernels may report until the process ends.
  static std::array<PinnedMemory*, kMaxDevices> all{};
  PinnedMemory*& memory = all[static_cast<size_t>(device.index())];
  memory = new PinnedMemory(sizeof(DeferredReports));
  return new (memory->ptr()) DeferredReports;
}

// Makes a GPU CUDA's current device too, for users' own kernels and
// libraries. When the host becomes current again, so does the GPU that was
// before.
void follow_current_device(Device from, Device to) noexcept {
  thread_local int before = 0;
  if (from.is_native()) ignore(cudaGetDevice(&before));
  ignore(cudaSetDevice(to.is_native() ? before : to.index()));
}

constexpr BackendTable kTable = {.device_count = count_devices,
                                 .allocate = allocate,
                                 .deallocate = deallocate,
                                 .copy = copy,
                                 .synchronize = synchronize_device,
                                 .describe = describe,
                                 .follow_current_device = follow_current_device,
                                 .allocate_reports = allocate_reports,
                                 .allocate_pinned = allocate_pinned,
                                 .is_pinned = is_pinned,
                                 .open_transfer = open_transfer,
                                 .capture = capture,
                                 .reserved_bytes = reserved_bytes,
                                 .used_bytes = used_bytes,
                                 .push_range = profiler::push_range,
                                 .pop_range = profiler::pop_range,
                                 .mark = mark};

[[maybe_unused]] const bool installed = [] {
  set_backend_table(Backend::kCuda, &kTable);
  return true;
}();

}  // namespace
}  // namespace catena::cuda
