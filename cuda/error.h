#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/core/source_location.h"

// Converts failed calls of the CUDA runtime, cuBLAS or cuDNN to exceptions:
// every status goes through a check().
namespace catena::cuda {

// A failed call of a CUDA library. The message is "<call>: expected success,
// got <name> (<text>) [<file>:<line>]".
class CudaError : public DeviceError {
 public:
  CudaError(std::string_view call, std::string_view name, std::string_view text,
            const SourceLocation& where);

  // The library's name of the error: "cudaErrorInvalidValue".
  const std::string& name() const { return name_; }
  // The function that failed: "cudaMemcpyAsync".
  const std::string& call() const { return call_; }

 private:
  std::string call_;
  std::string name_;
};

// Throws the CudaError of a call that failed.
[[noreturn, gnu::cold]] void throw_cuda_error(cudaError_t status,
                                              std::string_view call,
                                              const SourceLocation& where);

// Throws CudaError unless the call succeeded. Clears the runtime's last error,
// so that later calls do not report a handled error again; errors that corrupt
// the context are sticky and reported again.
inline void check(cudaError_t status, std::string_view call,
                  const SourceLocation& where = SourceLocation::current()) {
  if (status != cudaSuccess) [[unlikely]] {
    throw_cuda_error(status, call, where);
  }
}

// For destructors and deallocation, which cannot throw: clears the error. If it
// is sticky, the next checked call reports it.
inline void ignore(cudaError_t status) noexcept {
  if (status != cudaSuccess) [[unlikely]]
    static_cast<void>(cudaGetLastError());
}

}  // namespace catena::cuda
