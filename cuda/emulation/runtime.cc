#include "catena/cuda/emulation/runtime.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catena/cuda/emulation/block.h"
#include "catena/cuda/emulation/kernel_registry.h"
#include "catena/cuda/emulation/memory.h"
#include "cuda_runtime_api.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

using Clock = std::chrono::steady_clock;

namespace catena::cuda::emulation {
namespace {

// Something that a stream does, once all of `after` is done.
struct Work {
  std::function<void()> run;
  unsigned devices = 0;  // whose memory is open meanwhile
  std::vector<std::shared_ptr<Work>> after;
  std::function<bool()> ready;  // null: it is
  bool done = false;
  Clock::time_point finished;
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
};
using CapturePtr = std::shared_ptr<Capture>;

}  // namespace
}  // namespace catena::cuda::emulation

using catena::cuda::emulation::Capture;
using catena::cuda::emulation::CapturePtr;
using catena::cuda::emulation::Node;
using catena::cuda::emulation::WorkPtr;

struct CUstream_st {
  int device = 0;
  bool is_null = false;
  bool non_blocking = false;
  std::deque<WorkPtr> queue;
  WorkPtr last;
  CapturePtr capture;
  std::vector<size_t> captured;  // the nodes after which its next one comes
};

struct CUevent_st {
  int device = 0;
  bool timed = true;
  WorkPtr work;        // null if it was never recorded
  CapturePtr capture;  // if it was last recorded in one
  std::vector<size_t> captured;
};

struct CUgraph_st {
  std::vector<Node> nodes;
};
struct CUgraphExec_st {
  std::vector<Node> nodes;
};

namespace catena::cuda::emulation {
namespace {

constexpr int kMultiprocessors = 3;
constexpr size_t kMaxStagedByDriver = 64 << 10;

thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t set_last(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

class Runtime {
 public:
  static Runtime& get() {
    static auto& all = *new Runtime;
    return all;
  }

  int device_count() const { return device_count_; }

  // The lock of everything below. Host functions that work runs may call this
  // again.
  std::unique_lock<std::recursive_mutex> lock() {
    return std::unique_lock(mutex_);
  }

  cudaError_t sticky() const { return sticky_; }
  void fail(cudaError_t error) {
    if (sticky_ == cudaSuccess) sticky_ = error;
  }
  // As in a new process: what was not done never is.
  void reset() {
    sticky_ = cudaErrorLaunchFailure;  // work is dropped
    wait_for_all_devices();
    sticky_ = cudaSuccess;
  }

  CUstream_st* stream(cudaStream_t stream) {
    return stream != nullptr
               ? stream
               : &null_streams_[static_cast<size_t>(current_device)];
  }
  bool exists(CUstream_st* stream) const {
    return streams_.contains(stream) || is_null_stream(stream);
  }
  cudaStream_t create(bool non_blocking) {
    auto* made = new CUstream_st;
    made->device = current_device;
    made->non_blocking = non_blocking;
    streams_.insert(made);
    return made;
  }
  void destroy(cudaStream_t stream) {
    // What it has still to do is done before.
    wait(stream->last);
    streams_.erase(stream);
    delete stream;
  }

  cudaError_t enqueue(CUstream_st& stream, std::function<void()> run,
                      unsigned devices, std::vector<WorkPtr> after,
                      WorkPtr* made = nullptr) {
    auto work = std::make_shared<Work>();
    work->run = std::move(run);
    work->devices = devices;
    work->after = std::move(after);
    if (stream.last != nullptr) work->after.push_back(stream.last);
    add_null_stream_order(stream, *work);
    std::erase_if(work->after,
                  [](const WorkPtr& other) { return other->done; });
    stream.last = work;
    stream.queue.push_back(work);
    if (made != nullptr) *made = std::move(work);
    return cudaSuccess;
  }

  // Runs work that may run, in random order, until this is done.
  void wait(WorkPtr work) {  // by value: others may come meanwhile
    if (work == nullptr) return;
    while (!work->done) {
      if (run_one()) continue;
      if (!is_blocked_) break;
      // What it waits for is up to other threads, or processes.
      open_devices(0);
      mutex_.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      mutex_.lock();
    }
    open_devices(0);
  }
  void wait_for_device(int device) {
    for_each_stream([&](CUstream_st& stream) {
      if (stream.device == device) wait(stream.last);
    });
  }

  // A wait for a whole device, which captures on it do not survive.
  bool breaks_captures(int device) {
    bool breaks = false;
    for_each_stream([&](CUstream_st& stream) {
      if (stream.device != device || stream.capture == nullptr) return;
      stream.capture->invalid = true;
      breaks = true;
    });
    return breaks;
  }
  void wait_for_all_devices() {
    for (int device = 0; device < device_count_; ++device) {
      wait_for_device(device);
    }
  }

  // A query makes progress only if the host asks again and again.
  bool is_done_when_asked(const WorkPtr& work) {
    constexpr int kPatience = 64;
    if (work == nullptr || work->done) return true;
    if (++queries_ % kPatience == 0) {
      run_one();
      open_devices(0);
    }
    return work->done;
  }

  // No stream takes part in it any more.
  void end_capture(const CapturePtr& capture) {
    for_each_stream([&](CUstream_st& stream) {
      if (stream.capture != capture) return;
      stream.capture = nullptr;
      stream.captured.clear();
    });
  }

  // Runs the nodes of a graph in an order that their edges allow.
  void run_graph(const std::vector<Node>& nodes) {
    std::vector<bool> done(nodes.size());
    for (size_t left = nodes.size(); left > 0; --left) {
      std::vector<size_t> ready;
      for (size_t i = 0; i < nodes.size(); ++i) {
        const auto& after = nodes[i].after;
        if (!done[i] && std::all_of(after.begin(), after.end(),
                                    [&](size_t j) { return done[j]; })) {
          ready.push_back(i);
        }
      }
      const size_t next = ready[random_() % ready.size()];
      open_devices(nodes[next].devices);
      nodes[next].run();
      done[next] = true;
    }
  }

  unsigned devices_open_to(int device) const {
    return peers_[static_cast<size_t>(device)] | 1u << device;
  }
  bool enable_peer(int device, int peer) {
    unsigned& peers = peers_[static_cast<size_t>(device)];
    const bool is_new = (peers >> peer & 1) == 0;
    peers |= 1u << peer;
    return is_new;
  }

  // Counts of calls for which a host waits, and of kernels launched.
  int64_t host_waits = 0;
  int64_t launches = 0;

  // Counters of injected failures; negative: none.
  int allocations_until_failure = -1;
  int launches_until_failure = -1;

 private:
  Runtime() {
    const char* wanted = std::getenv("CATENA_EMULATED_DEVICES");
    if (wanted != nullptr) {
      device_count_ = std::clamp(std::atoi(wanted), 0, kMaxEmulatedDevices);
    }
    const char* seed = std::getenv("CATENA_EMULATION_SEED");
    random_.seed(seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 1);
    for (int device = 0; device < kMaxEmulatedDevices; ++device) {
      CUstream_st& stream = null_streams_[static_cast<size_t>(device)];
      stream.device = device;
      stream.is_null = true;
    }
  }

  bool is_null_stream(const CUstream_st* stream) const {
    return std::any_of(
        null_streams_.begin(), null_streams_.end(),
        [&](const CUstream_st& null) { return &null == stream; });
  }

  template <class F>
  void for_each_stream(F f) {
    for (CUstream_st& stream : null_streams_) f(stream);
    // A copy, since host functions may end streams.
    for (CUstream_st* stream : std::vector(streams_.begin(), streams_.end())) {
      if (streams_.contains(stream)) f(*stream);
    }
  }

  // The null stream waits for all blocking streams, and they for it.
  void add_null_stream_order(const CUstream_st& stream, Work& work) {
    if (stream.is_null) {
      for (const CUstream_st* other : streams_) {
        if (other->device == stream.device && !other->non_blocking &&
            other->last != nullptr) {
          work.after.push_back(other->last);
        }
      }
    } else if (!stream.non_blocking) {
      const auto& last = null_streams_[static_cast<size_t>(stream.device)].last;
      if (last != nullptr) work.after.push_back(last);
    }
  }

  // False if nothing is left that could run.
  bool run_one() {
    std::vector<CUstream_st*> ready;
    is_blocked_ = false;
    for_each_stream([&](CUstream_st& stream) {
      if (stream.queue.empty()) return;
      const Work& front = *stream.queue.front();
      const bool is_next =
          std::all_of(front.after.begin(), front.after.end(),
                      [](const WorkPtr& other) { return other->done; });
      if (!is_next) return;
      // After a failure nothing runs, so nothing need be waited for.
      if (sticky_ == cudaSuccess && front.ready != nullptr && !front.ready()) {
        is_blocked_ = true;
      } else {
        ready.push_back(&stream);
      }
    });
    if (ready.empty()) return false;
    CUstream_st& stream = *ready[random_() % ready.size()];
    const WorkPtr work = std::move(stream.queue.front());
    stream.queue.pop_front();
    if (sticky_ == cudaSuccess) {
      open_devices(work->devices);
      work->run();
    }
    work->run = nullptr;
    work->ready = nullptr;
    work->after.clear();
    work->finished = Clock::now();
    work->done = true;
    return true;
  }

  std::recursive_mutex mutex_;
  int device_count_ = 2;
  std::array<CUstream_st, kMaxEmulatedDevices> null_streams_;
  std::set<CUstream_st*> streams_;
  std::array<unsigned, kMaxEmulatedDevices> peers_{};
  std::mt19937 random_;
  cudaError_t sticky_ = cudaSuccess;
  uint64_t queries_ = 0;
  bool is_blocked_ = false;  // when last asked, by work that is not ready
};

// Adds a node to the capture that the stream takes part in.
cudaError_t capture_node(CUstream_st& stream, std::function<void()> run,
                         unsigned devices) {
  if (stream.capture->invalid) return cudaErrorStreamCaptureInvalidated;
  std::vector<Node>& nodes = stream.capture->nodes;
  nodes.push_back({std::move(run), devices, stream.captured});
  stream.captured = {nodes.size() - 1};
  return cudaSuccess;
}

cudaError_t submit_to(cudaStream_t stream, std::function<void()> run,
                      unsigned devices) {
  Runtime& runtime = Runtime::get();
  CUstream_st* target = runtime.stream(stream);
  if (!runtime.exists(target)) return cudaErrorInvalidResourceHandle;
  if (target->capture != nullptr) {
    return capture_node(*target, std::move(run), devices);
  }
  return runtime.enqueue(*target, std::move(run), devices, {});
}

// A wait that a capture does not allow: it is invalid afterwards.
bool breaks_capture(CUstream_st& stream) {
  if (stream.capture == nullptr) return false;
  stream.capture->invalid = true;
  return true;
}

// Takes the lock and calls f unless an earlier kernel has failed.
template <class F>
cudaError_t guarded(F f) {
  Runtime& runtime = Runtime::get();
  const auto lock = runtime.lock();
  if (runtime.sticky() != cudaSuccess) return set_last(runtime.sticky());
  const cudaError_t status = f(runtime);
  if (status != cudaSuccess) return set_last(status);
  return set_last(runtime.sticky());
}

bool counts_down_to_failure(int& left) {
  if (left < 0) return false;
  return left-- == 0;
}

}  // namespace

int device_count() { return Runtime::get().device_count(); }

cudaError_t submit(cudaStream_t stream, std::function<void()> function,
                   std::initializer_list<int> others) {
  return guarded([&](Runtime& runtime) {
    unsigned devices = runtime.devices_open_to(runtime.stream(stream)->device);
    for (const int device : others) devices |= 1u << device;
    return submit_to(stream, std::move(function), devices);
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

cudaError_t submit_when(cudaStream_t stream, std::function<bool()> ready,
                        std::function<void()> function) {
  return guarded([&](Runtime& runtime) {
    CUstream_st* target = runtime.stream(stream);
    if (!runtime.exists(target)) return cudaErrorInvalidResourceHandle;
    if (breaks_capture(*target)) return cudaErrorStreamCaptureUnsupported;
    WorkPtr work;
    runtime.enqueue(*target, std::move(function),
                    runtime.devices_open_to(target->device), {}, &work);
    work->ready = std::move(ready);
    return cudaSuccess;
  });
}

void fail_device(cudaError_t error) { Runtime::get().fail(error); }

void fail_allocation(int n) {
  const auto lock = Runtime::get().lock();
  Runtime::get().allocations_until_failure = n;
}
void fail_launch(int n) {
  const auto lock = Runtime::get().lock();
  Runtime::get().launches_until_failure = n;
}
int64_t host_waits() {
  const auto lock = Runtime::get().lock();
  return Runtime::get().host_waits;
}
int64_t launches() {
  const auto lock = Runtime::get().lock();
  return Runtime::get().launches;
}
void reset_devices() {
  const auto lock = Runtime::get().lock();
  Runtime::get().reset();
  last_error = cudaSuccess;
}

}  // namespace catena::cuda::emulation

// ------------------------------------------------------------------------ API

using namespace catena::cuda::emulation;  // NOLINT

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define CATENA_NAME(name) \
  case name:              \
    return #name
    CATENA_NAME(cudaSuccess);
    CATENA_NAME(cudaErrorInvalidValue);
    CATENA_NAME(cudaErrorMemoryAllocation);
    CATENA_NAME(cudaErrorInvalidConfiguration);
    CATENA_NAME(cudaErrorInvalidDeviceFunction);
    CATENA_NAME(cudaErrorInvalidDevice);
    CATENA_NAME(cudaErrorInvalidKernelImage);
    CATENA_NAME(cudaErrorInvalidResourceHandle);
    CATENA_NAME(cudaErrorSymbolNotFound);
    CATENA_NAME(cudaErrorNotReady);
    CATENA_NAME(cudaErrorPeerAccessAlreadyEnabled);
    CATENA_NAME(cudaErrorLaunchFailure);
    CATENA_NAME(cudaErrorStreamCaptureUnsupported);
    CATENA_NAME(cudaErrorStreamCaptureInvalidated);
    CATENA_NAME(cudaErrorStreamCaptureUnjoined);
    CATENA_NAME(cudaErrorStreamCaptureIsolation);
    CATENA_NAME(cudaErrorCapturedEvent);
#undef CATENA_NAME
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInvalidDeviceFunction:
      return "invalid device function";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorInvalidKernelImage:
      return "device kernel image is invalid";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorSymbolNotFound:
      return "named symbol not found";
    case cudaErrorNotReady:
      return "device not ready";
    case cudaErrorPeerAccessAlreadyEnabled:
      return "peer access is already enabled";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
    case cudaErrorStreamCaptureUnsupported:
      return "operation not permitted when stream is capturing";
    case cudaErrorStreamCaptureInvalidated:
      return "operation failed due to a previous error during capture";
    case cudaErrorStreamCaptureUnjoined:
      return "capturing stream has unjoined work";
    case cudaErrorStreamCaptureIsolation:
      return "dependency created on uncaptured work in another stream";
    case cudaErrorCapturedEvent:
      return "operation not permitted on an event last recorded in a capturing "
             "stream";
  }
  return "unrecognized error code";
}

cudaError_t cudaGetLastError() {
  const auto lock = Runtime::get().lock();
  const cudaError_t error = std::exchange(last_error, cudaSuccess);
  return Runtime::get().sticky() != cudaSuccess ? Runtime::get().sticky()
                                                : error;
}
cudaError_t cudaPeekAtLastError() {
  const auto lock = Runtime::get().lock();
  return Runtime::get().sticky() != cudaSuccess ? Runtime::get().sticky()
                                                : last_error;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = device_count();
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= device_count()) {
    return set_last(cudaErrorInvalidDevice);
  }
  current_device = device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device < 0 || device >= device_count()) {
    return set_last(cudaErrorInvalidDevice);
  }
  *properties = {};
  std::snprintf(properties->name, sizeof(properties->name), "%s",
                "Emulated GPU");
  properties->totalGlobalMem = kDeviceMemory;
  properties->sharedMemPerBlock = 48 << 10;
  properties->major = 9;
  properties->minor = 0;
  properties->multiProcessorCount = kMultiprocessors;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  if (device < 0 || device >= device_count()) {
    return set_last(cudaErrorInvalidDevice);
  }
  std::snprintf(id, static_cast<size_t>(length), "0000:%02X:00.0", device + 1);
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return guarded([](Runtime& runtime) {
    if (runtime.breaks_captures(current_device)) {
      return cudaErrorStreamCaptureUnsupported;
    }
    ++runtime.host_waits;
    runtime.wait_for_device(current_device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = device != peer ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  if (flags != 0 || peer < 0 || peer >= device_count()) {
    return set_last(cudaErrorInvalidValue);
  }
  return guarded([&](Runtime& runtime) {
    return runtime.enable_peer(current_device, peer)
               ? cudaSuccess
               : cudaErrorPeerAccessAlreadyEnabled;
  });
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, size_t bytes) {
  return guarded([&](Runtime& runtime) {
    *data = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (counts_down_to_failure(runtime.allocations_until_failure)) {
      return cudaErrorMemoryAllocation;
    }
    *data = allocate_device_memory(current_device, bytes);
    return *data != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}

cudaError_t cudaMallocManaged(void** data, size_t bytes, unsigned flags) {
  if (flags != cudaMemAttachGlobal || bytes == 0) {
    return set_last(cudaErrorInvalidValue);
  }
  return guarded([&](Runtime& runtime) {
    *data = nullptr;
    if (counts_down_to_failure(runtime.allocations_until_failure)) {
      return cudaErrorMemoryAllocation;
    }
    *data = allocate_managed_memory(bytes);
    return *data != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}

cudaError_t cudaFree(void* data) {
  if (data == nullptr) return cudaSuccess;
  return guarded([&](Runtime& runtime) {
    if (is_managed(data)) {
      runtime.wait_for_all_devices();
      return free_managed_memory(data) ? cudaSuccess : cudaErrorInvalidValue;
    }
    const int device = device_of(data);
    if (device < 0) return cudaErrorInvalidValue;
    ++runtime.host_waits;
    runtime.wait_for_device(device);
    return free_device_memory(data) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *total = kDeviceMemory;
  *free = kDeviceMemory - used_device_memory(current_device);
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned /*flags*/) {
  *data = allocate_pinned_memory(bytes);
  return set_last(*data != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void* data) {
  if (data == nullptr) return cudaSuccess;
  return guarded([&](Runtime& runtime) {
    // NVIDIA does not promise that it waits for the work that uses it.
    ++runtime.host_waits;
    return free_pinned_memory(data) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                     const void* data) {
  *attributes = {};
  const int device = device_of(data);
  attributes->device = std::max(device, 0);
  attributes->type = device >= 0        ? cudaMemoryTypeDevice
                     : is_managed(data) ? cudaMemoryTypeManaged
                     : is_pinned(data)  ? cudaMemoryTypeHost
                                        : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  if (kind != cudaMemcpyDefault) return set_last(cudaErrorInvalidValue);
  return guarded([&](Runtime& runtime) -> cudaError_t {
    CUstream_st& target = *runtime.stream(stream);
    const int to_device = device_of(to);
    const int from_device = device_of(from);
    unsigned devices = 1u << target.device;
    if (to_device >= 0) devices |= 1u << to_device;
    if (from_device >= 0) devices |= 1u << from_device;
    const bool captures = target.capture != nullptr;
    if (from_device < 0 && !is_pinned(from) && !captures) {
      // From pageable memory the bytes are read before the call returns, for
      // which the stream's earlier work must be done if they are many.
      if (bytes > kMaxStagedByDriver) ++runtime.host_waits;
      auto staged = std::make_shared<std::vector<char>>(bytes);
      std::memcpy(staged->data(), from, bytes);
      return submit_to(
          stream,
          [to, staged] { std::memcpy(to, staged->data(), staged->size()); },
          devices);
    }
    const cudaError_t status = submit_to(
        stream, [=] { std::memmove(to, from, bytes); }, devices);
    // To pageable memory the call returns when the bytes are there.
    if (status == cudaSuccess && to_device < 0 && !is_pinned(to) && !captures) {
      ++runtime.host_waits;
      runtime.wait(target.last);
    }
    return status;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes,
                       cudaMemcpyKind kind) {
  const cudaError_t status = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return status == cudaSuccess ? cudaStreamSynchronize(nullptr) : status;
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from,
                                int from_device, size_t bytes,
                                cudaStream_t stream) {
  if (device_of(to) != to_device || device_of(from) != from_device) {
    return set_last(cudaErrorInvalidValue);
  }
  return submit(stream, [=] { std::memmove(to, from, bytes); },
                {to_device, from_device});
}

cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes,
                            cudaStream_t stream) {
  const int device = device_of(data);
  if (device < 0 && !is_pinned(data)) return set_last(cudaErrorInvalidValue);
  return submit(stream, [=] { std::memset(data, value, bytes); },
                {std::max(device, 0)});
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return guarded([&](Runtime& runtime) {
    *stream = runtime.create((flags & cudaStreamNonBlocking) != 0);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return guarded([&](Runtime& runtime) {
    if (stream == nullptr || !runtime.exists(stream)) {
      return cudaErrorInvalidResourceHandle;
    }
    runtime.destroy(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return guarded([&](Runtime& runtime) {
    CUstream_st& target = *runtime.stream(stream);
    if (!runtime.exists(&target)) return cudaErrorInvalidResourceHandle;
    if (breaks_capture(target)) return cudaErrorStreamCaptureUnsupported;
    ++runtime.host_waits;
    runtime.wait(target.last);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return guarded([&](Runtime& runtime) {
    CUstream_st& target = *runtime.stream(stream);
    if (!runtime.exists(&target)) return cudaErrorInvalidResourceHandle;
    if (breaks_capture(target)) return cudaErrorStreamCaptureUnsupported;
    return runtime.is_done_when_asked(target.last) ? cudaSuccess
                                                   : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned /*flags*/) {
  return guarded([&](Runtime& runtime) -> cudaError_t {
    CUstream_st& target = *runtime.stream(stream);
    if (!runtime.exists(&target)) return cudaErrorInvalidResourceHandle;
    if (event->capture != nullptr) {
      // The stream joins the capture.
      if (target.capture == nullptr) {
        target.capture = event->capture;
        target.captured = event->captured;
        return cudaSuccess;
      }
      if (target.capture != event->capture) {
        target.capture->invalid = true;
        return cudaErrorStreamCaptureIsolation;
      }
      target.captured.insert(target.captured.end(), event->captured.begin(),
                             event->captured.end());
      return cudaSuccess;
    }
    if (event->work == nullptr) return cudaSuccess;
    if (target.capture != nullptr) {
      if (event->work->done) return cudaSuccess;
      target.capture->invalid = true;
      return cudaErrorStreamCaptureIsolation;
    }
    return runtime.enqueue(target, [] {}, 0, {event->work});
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void*),
                               void* data) {
  return guarded([&](Runtime&) {
    return submit_to(
        stream, [=] { function(data); }, 0);
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return guarded([&](Runtime&) {
    *event = new CUevent_st;
    (*event)->device = current_device;
    (*event)->timed = (flags & cudaEventDisableTiming) == 0;
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const auto lock = Runtime::get().lock();
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return guarded([&](Runtime& runtime) -> cudaError_t {
    CUstream_st& target = *runtime.stream(stream);
    if (!runtime.exists(&target)) return cudaErrorInvalidResourceHandle;
    if (target.device != event->device) return cudaErrorInvalidResourceHandle;
    if (target.capture != nullptr) {
      event->capture = target.capture;
      event->captured = target.captured;
      return cudaSuccess;
    }
    event->capture = nullptr;
    return runtime.enqueue(
        target, [] {}, 0, {}, &event->work);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return guarded([&](Runtime& runtime) {
    if (event->capture != nullptr) return cudaErrorCapturedEvent;
    return runtime.is_done_when_asked(event->work) ? cudaSuccess
                                                   : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return guarded([&](Runtime& runtime) {
    if (event->capture != nullptr) return cudaErrorCapturedEvent;
    ++runtime.host_waits;
    runtime.wait(event->work);
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start,
                                 cudaEvent_t end) {
  return guarded([&](Runtime&) {
    if (!start->timed || !end->timed || start->work == nullptr ||
        end->work == nullptr) {
      return cudaErrorInvalidResourceHandle;
    }
    if (!start->work->done || !end->work->done) return cudaErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(
                        end->work->finished - start->work->finished)
                        .count();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   cudaStreamCaptureMode /*mode*/) {
  return guarded([&](Runtime& runtime) {
    CUstream_st& target = *runtime.stream(stream);
    if (target.is_null || target.capture != nullptr) {
      return cudaErrorStreamCaptureUnsupported;
    }
    target.capture = std::make_shared<Capture>();
    target.capture->origin = stream;
    target.captured.clear();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  return guarded([&](Runtime& runtime) {
    CUstream_st& target = *runtime.stream(stream);
    const CapturePtr capture = target.capture;
    if (capture == nullptr || capture->origin != stream) {
      return cudaErrorInvalidValue;
    }
    // Every node must come before what the origin would do next.
    std::vector<bool> joined(capture->nodes.size());
    std::vector<size_t> todo = target.captured;
    while (!todo.empty()) {
      const size_t node = todo.back();
      todo.pop_back();
      if (joined[node]) continue;
      joined[node] = true;
      todo.insert(todo.end(), capture->nodes[node].after.begin(),
                  capture->nodes[node].after.end());
    }
    runtime.end_capture(capture);
    if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
    if (std::find(joined.begin(), joined.end(), false) != joined.end()) {
      return cudaErrorStreamCaptureUnjoined;
    }
    *graph = new CUgraph_st{std::move(capture->nodes)};
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  std::swap(current, *mode);
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  cudaStreamCaptureStatus* status) {
  return guarded([&](Runtime& runtime) {
    const CapturePtr& capture = runtime.stream(stream)->capture;
    *status = capture == nullptr ? cudaStreamCaptureStatusNone
              : capture->invalid ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long /*flags*/) {
  *executable = new CUgraphExec_st{graph->nodes};
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return submit(stream,
                [executable] { Runtime::get().run_graph(executable->nodes); });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block,
                             void** params, size_t /*shared_bytes*/,
                             cudaStream_t stream) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 ||
      block.y == 0 || block.z == 0 || grid.x > 0x7fffffffu ||
      grid.y > 0xffffu || grid.z > 0xffffu ||
      uint64_t{block.x} * block.y * block.z > 1024) {
    return set_last(cudaErrorInvalidConfiguration);
  }
  BindKernel* const bind = find_kernel(kernel);
  if (bind == nullptr) return set_last(cudaErrorInvalidDeviceFunction);
  {
    const auto lock = Runtime::get().lock();
    if (counts_down_to_failure(Runtime::get().launches_until_failure)) {
      return set_last(cudaErrorInvalidConfiguration);
    }
    ++Runtime::get().launches;
  }
  return submit(stream, [=, thread = bind(kernel, params)] {
    const std::string wrong = run_grid(grid, block, thread);
    if (wrong.empty()) return;
    std::fprintf(stderr, "CUDA emulation: %s: %s\n", name_of(kernel).c_str(),
                 wrong.c_str());
    fail_device(cudaErrorLaunchFailure);
  });
}

cudaError_t cudaFuncSetAttribute(const void* kernel,
                                 cudaFuncAttribute /*attribute*/,
                                 int /*value*/) {
  return set_last(find_kernel(kernel) != nullptr
                      ? cudaSuccess
                      : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
