#include "catena/cuda/cublas_handle.h"

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "catena/cuda/bound_stream.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/error.h"
#include "catena/cuda/stream.h"
#include "catena/cuda/thread_handle.h"

namespace catena::cuda {
namespace {

class CublasHandle {
 public:
  explicit CublasHandle(int device) : device_(device) {
    const DeviceGuard guard(device);
    cublasHandle_t made = nullptr;
    check(cublasCreate(&made), "cublasCreate");
    handle_.reset(made);
    check(cublasSetMathMode(
              made, static_cast<cublasMath_t>(
                        CUBLAS_DEFAULT_MATH |
                        CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
          "cublasSetMathMode");
  }

  cublasHandle_t on(cudaStream_t stream) {
    if (bound_.differs_from(stream)) bind(stream);
    return handle_.get();
  }

 private:
  struct Destroy {
    void operator()(cublasHandle_t handle) const {
      static_cast<void>(cublasDestroy(handle));
    }
  };

  void bind(cudaStream_t stream) {
    // Work on the previous stream may still use its workspace, which is
    // therefore returned to that stream.
    Memory workspace(cublas_workspace_bytes(device_), device_, stream);
    // If one call fails, the handle is bound to neither stream.
    bound_.forget();
    check(cublasSetStream(handle_.get(), stream), "cublasSetStream");
    check(cublasSetWorkspace(handle_.get(), workspace.ptr(),
                             static_cast<size_t>(workspace.size())),
          "cublasSetWorkspace");
    workspace_.emplace(std::move(workspace));
    bound_.set(stream);
  }

  int device_;
  std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, Destroy> handle_;
  BoundStream bound_;
  std::optional<Memory> workspace_;
};

}  // namespace

void check(cublasStatus_t status, std::string_view call,
           const SourceLocation& where) {
  if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]] {
    throw CudaError(call, cublasGetStatusName(status),
                    cublasGetStatusString(status), where);
  }
}

// What NVIDIA recommends: 32 MiB from Hopper on, 4 MiB before.
int64_t cublas_workspace_bytes(int device) {
  return int64_t{properties(device).major >= 9 ? 32 : 4} << 20;
}

cublasHandle_t cublas_handle(int device) {
  return thread_handle<CublasHandle>(device).on(current_stream(device));
}

cublasLtHandle_t cublas_lt_handle(int device) {
  // cuBLAS documents that its handle is also a cublasLt handle.
  return reinterpret_cast<cublasLtHandle_t>(cublas_handle(device));
}

}  // namespace catena::cuda
