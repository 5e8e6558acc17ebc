#include "catena/cuda/error.h"

namespace catena::cuda {

CudaError::CudaError(std::string_view call, std::string_view name,
                     std::string_view text, const SourceLocation& where)
    : DeviceError(str(call, ": expected success, got ", name, " (", text, ") [",
                      where.file_name(), ":", where.line(), "]")),
      call_(call),
      name_(name) {}

void throw_cuda_error(cudaError_t status, std::string_view call,
                      const SourceLocation& where) {
  ignore(status);
  throw CudaError(call, cudaGetErrorName(status), cudaGetErrorString(status),
                  where);
}

}  // namespace catena::cuda
