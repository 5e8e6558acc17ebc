#include "catena/cuda/cusolver_handle.h"

#include "catena/cuda/bound_stream.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/stream.h"
#include "catena/cuda/thread_handle.h"

namespace catena::cuda {
namespace {

class CusolverHandle {
 public:
  explicit CusolverHandle(int device) {
    const DeviceGuard guard(device);
    check(cusolverDnCreate(&handle_), "cusolverDnCreate");
  }
  ~CusolverHandle() {
    if (handle_ != nullptr) static_cast<void>(cusolverDnDestroy(handle_));
  }
  CusolverHandle(const CusolverHandle&) = delete;
  CusolverHandle& operator=(const CusolverHandle&) = delete;

  cusolverDnHandle_t on(cudaStream_t stream) {
    if (bound_.differs_from(stream)) {
      check(cusolverDnSetStream(handle_, stream), "cusolverDnSetStream");
      bound_.set(stream);
    }
    return handle_;
  }

 private:
  cusolverDnHandle_t handle_ = nullptr;
  BoundStream bound_;
};

// cuSOLVER has no function for the names of statuses.
std::string_view name_of(cusolverStatus_t status) {
  switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED:
      return "CUSOLVER_STATUS_NOT_INITIALIZED";
    case CUSOLVER_STATUS_ALLOC_FAILED:
      return "CUSOLVER_STATUS_ALLOC_FAILED";
    case CUSOLVER_STATUS_INVALID_VALUE:
      return "CUSOLVER_STATUS_INVALID_VALUE";
    case CUSOLVER_STATUS_ARCH_MISMATCH:
      return "CUSOLVER_STATUS_ARCH_MISMATCH";
    case CUSOLVER_STATUS_EXECUTION_FAILED:
      return "CUSOLVER_STATUS_EXECUTION_FAILED";
    case CUSOLVER_STATUS_INTERNAL_ERROR:
      return "CUSOLVER_STATUS_INTERNAL_ERROR";
    case CUSOLVER_STATUS_NOT_SUPPORTED:
      return "CUSOLVER_STATUS_NOT_SUPPORTED";
    default:
      return "another status of cuSOLVER";
  }
}

}  // namespace

void check(cusolverStatus_t status, std::string_view call,
           const SourceLocation& where) {
  if (status != CUSOLVER_STATUS_SUCCESS) [[unlikely]] {
    throw CudaError(call, name_of(status),
                    str("status ", static_cast<int>(status)), where);
  }
}

cusolverDnHandle_t cusolver_handle(int device) {
  return thread_handle<CusolverHandle>(device).on(current_stream(device));
}

}  // namespace catena::cuda
