#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

#include "catena/array/error.h"
#include "catena/array/source_location.h"

// How a failed call of the CUDA runtime, cuBLAS or cuDNN becomes an exception:
// every status goes through a check().
namespace catena::cuda {

// A call that a CUDA library refused. The text is
// "<call>: expected success, got <name> (<text>) [<file>:<line>]".
class CudaError : public DeviceError {
 public:
  CudaError(std::string_view call, std::string_view name, std::string_view text,
            const SourceLocation& where);

  // The error as its library spells it: "cudaErrorInvalidValue".
  const std::string& name() const { return name_; }
  // The function that failed: "cudaMemcpyAsync".
  const std::string& call() const { return call_; }

 private:
  std::string call_;
  std::string name_;
};

[[noreturn, gnu::cold]] void throw_cuda_error(cudaError_t status,
                                              std::string_view call,
                                              const SourceLocation& where);

// Throws CudaError unless the call succeeded. The runtime's own memory of the
// failure is cleared, so that later calls do not report it again to a caller
// who has handled it; an error that has broken the context stays and is
// reported again.
inline void check(cudaError_t status, std::string_view call,
                  const SourceLocation& where = SourceLocation::current()) {
  if (status != cudaSuccess) [[unlikely]] {
    throw_cuda_error(status, call, where);
  }
}

// For destructors and deallocation, which cannot throw: clears the failure.
// What it says comes again, from the next call that is checked.
inline void ignore(cudaError_t status) noexcept {
  if (status != cudaSuccess) [[unlikely]]
    static_cast<void>(cudaGetLastError());
}

}  // namespace catena::cuda
