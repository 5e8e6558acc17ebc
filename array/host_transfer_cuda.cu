// Installs CUDA's HostTransferBackend (array/host_transfer.h) when it is
// linked.

#include <cuda_runtime_api.h>

#include <deque>
#include <memory>
#include <utility>

#include "catena/array/capture.h"
#include "catena/array/error.h"
#include "catena/array/host_transfer.h"
#include "catena/array/shape.h"
#include "catena/array/storage.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/event.h"
#include "catena/cuda/pinned_memory.h"
#include "catena/cuda/stream.h"

namespace catena::cuda {
namespace {

Array empty_pinned(const Shape& shape, Dtype dtype) {
  const int64_t bytes =
      checked_size(shape, item_size(dtype), "empty_pinned") * item_size(dtype);
  auto memory = std::make_shared<PinnedMemory>(bytes);
  void* data = memory->ptr();
  return Array(Storage::borrow(native_device(), data, bytes, std::move(memory)),
               dtype, shape);
}

bool is_pinned(const Array& x) {
  if (!x.device().is_native()) return false;
  cudaPointerAttributes attributes{};
  const cudaError_t status =
      cudaPointerGetAttributes(&attributes, x.raw_data());
  ignore(status);
  return status == cudaSuccess && attributes.type == cudaMemoryTypeHost;
}

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

  Array to_device(const Array& x) override {
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
    Array result;
    {
      // Memory of this stream, which no running computation uses.
      const StreamScope scope(stream_);
      result = array::empty(x.shape(), x.dtype(), device_);
      copy_async(result.raw_data(), x.raw_data(), x.nbytes(), index,
                 stream_.ptr());
      copied.record(stream_.ptr());
    }
    const cudaStream_t computing = current_stream(index);
    {
      const DeviceGuard guard(index);
      check(cudaStreamWaitEvent(computing, copied.ptr(), 0),
            "cudaStreamWaitEvent");
    }
    if (x.nbytes() > 0) record_use(result.raw_data(), index, computing);
    in_flight_.push_back({x, std::move(copied)});
    return result;
  }

 private:
  struct InFlight {
    Array x;
    Event copied;
  };

  Device device_;
  Stream stream_;
  std::deque<InFlight> in_flight_;
};

std::unique_ptr<HostTransfer> open(Device device) {
  require_device(device, "HostTransfer");
  return std::make_unique<CudaTransfer>(device);
}

constexpr HostTransferBackend kTransfer = {empty_pinned, is_pinned, open};

[[maybe_unused]] const bool installed = [] {
  set_host_transfer_backend(Backend::kCuda, &kTransfer);
  return true;
}();

}  // namespace
}  // namespace catena::cuda
