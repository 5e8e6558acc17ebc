// Copies from page-locked memory to a GPU, beside its work.

#include "catena/array/core/host_transfer.h"

#include <cuda_runtime_api.h>

#include <deque>
#include <memory>
#include <utility>

#include "catena/array/core/capture.h"
#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/array/core/storage.h"
#include "catena/cuda/backend_parts.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/event.h"
#include "catena/cuda/pinned_memory.h"
#include "catena/cuda/record_or_wait.h"
#include "catena/cuda/stream.h"

namespace catena::cuda {
namespace {

class CudaTransfer final : public HostTransfer {
 public:
  explicit CudaTransfer(Device device)
      : device_(device),
        stream_({.device = device.index(), .non_blocking = true}) {}
  ~CudaTransfer() override {
    // The host's memory must stay alive until it has been read.
    for (const InFlight& copy : in_flight_) {
      ignore(cudaEventSynchronize(copy.copied.ptr()));
    }
  }

  Ref<Storage> to_device(const void* data, int64_t bytes,
                         const Ref<Storage>& owner) override {
    // The captured work would wait for this stream, which is not part of it.
    if (current_capture(device_) != nullptr) {
      raise<DeviceError>(
          "HostTransfer::to_device: expected a copy outside of captures, got "
          "one inside a capture of ",
          device_,
          "; copy before the capture and before each launch, into the memory "
          "that the captured work reads (Array::assign)");
    }
    while (!in_flight_.empty() && in_flight_.front().copied.done()) {
      in_flight_.pop_front();
    }
    const int index = device_.index();
    Event copied({.device = index, .disable_timing = true});
    Ref<Storage> result;
    {
      // Memory of this stream, which no running computation uses.
      const StreamScope scope(stream_);
      result = Storage::allocate(device_, bytes);
      in_flight_.push_back({owner, std::move(copied)});
      // From here on the queue holds the owner, whatever fails: an event that
      // was never recorded is taken for one that is over.
      copy_async(result->data(), data, bytes, index, stream_.ptr());
      record_or_wait(in_flight_.back().copied, stream_.ptr());
    }
    const cudaStream_t computing = current_stream(index);
    {
      const DeviceGuard guard(index);
      check(cudaStreamWaitEvent(computing, in_flight_.back().copied.ptr(), 0),
            "cudaStreamWaitEvent");
    }
    if (bytes > 0) record_use(result->data(), index, computing);
    return result;
  }

 private:
  struct InFlight {
    Ref<Storage> owner;
    Event copied;
  };

  Device device_;
  Stream stream_;
  std::deque<InFlight> in_flight_;
};

}  // namespace

std::shared_ptr<void> allocate_pinned(int64_t bytes) {
  auto memory = std::make_shared<PinnedMemory>(bytes);
  void* data = memory->ptr();
  return {std::move(memory), data};
}

bool is_pinned(const void* data) {
  cudaPointerAttributes attributes{};
  const cudaError_t status = cudaPointerGetAttributes(&attributes, data);
  ignore(status);
  return status == cudaSuccess && attributes.type == cudaMemoryTypeHost;
}

std::unique_ptr<HostTransfer> open_transfer(Device device) {
  require_device(device, "HostTransfer");
  return std::make_unique<CudaTransfer>(device);
}

}  // namespace catena::cuda
