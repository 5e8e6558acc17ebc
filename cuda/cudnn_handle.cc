#include "catena/cuda/cudnn_handle.h"

#include <array>

#include "catena/cuda/bound_stream.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/stream.h"
#include "catena/cuda/thread_handle.h"

namespace catena::cuda {
namespace {

class CudnnHandle {
 public:
  explicit CudnnHandle(int device) {
    const DeviceGuard guard(device);
    check(call_cudnn<cudnnCreate>(&handle_), "cudnnCreate");
  }
  ~CudnnHandle() {
    if (handle_ != nullptr)
      static_cast<void>(call_cudnn<cudnnDestroy>(handle_));
  }
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;

  cudnnHandle_t on(cudaStream_t stream) {
    if (bound_.differs_from(stream)) {
      check(call_cudnn<cudnnSetStream>(handle_, stream), "cudnnSetStream");
      bound_.set(stream);
    }
    return handle_;
  }

 private:
  cudnnHandle_t handle_ = nullptr;
  BoundStream bound_;
};

}  // namespace

void check(cudnnStatus_t status, std::string_view call,
           const SourceLocation& where) {
  if (status != CUDNN_STATUS_SUCCESS) [[unlikely]] {
    std::array<char, 256> text{};
    call_cudnn<cudnnGetLastErrorString>(text.data(), text.size());
    throw CudaError(call, call_cudnn<cudnnGetErrorString>(status), text.data(),
                    where);
  }
}

cudnnHandle_t cudnn_handle(int device) {
  return thread_handle<CudnnHandle>(device).on(current_stream(device));
}

int cudnn_version() { return static_cast<int>(call_cudnn<cudnnGetVersion>()); }

}  // namespace catena::cuda
