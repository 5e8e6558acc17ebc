// cuDNN's softmax, which coalesces reads even if the axis is not the last.

#include <cudnn.h>

#include "catena/cuda/cudnn_handle.h"
#include "catena/cuda/device.h"
#include "catena/functions/activation/internal/softmax_cudnn.h"
#include "catena/functions/cudnn/descriptors.h"

namespace catena::functions {
namespace {

Array run(const SoftmaxPass& pass) {
  if (!cudnn::is_usual(pass.a)) return {};
  const Array a = pass.a.contiguous();
  const Dtype dtype = a.dtype();
  cudnn::Extents extents = {1, 1, 1, 1};  // before, along and after the axis
  for (int d = 0; d < a.ndim(); ++d) {
    const int part = d < pass.axis ? 0 : d == pass.axis ? 1 : 2;
    extents[part] *= static_cast<int>(a.shape()[d]);
  }
  const int device = a.device().index();
  const cuda::DeviceGuard guard(device);
  const cudnnHandle_t handle = cuda::cudnn_handle(device);
  const cudnn::TensorDescriptor tensor(extents, dtype);
  const cudnn::Factor one(1, dtype);
  const cudnn::Factor zero(0, dtype);
  const auto algorithm =
      pass.is_log ? CUDNN_SOFTMAX_LOG : CUDNN_SOFTMAX_ACCURATE;
  const auto mode = extents[2] == 1 ? CUDNN_SOFTMAX_MODE_INSTANCE
                                    : CUDNN_SOFTMAX_MODE_CHANNEL;
  const Array result = array::empty(a.shape(), dtype, a.device());
  if (pass.gy == nullptr) {
    cudnn::check(
        cudnnSoftmaxForward(handle, algorithm, mode, one, tensor, a.raw_data(),
                            zero, tensor, result.raw_data()),
        "cudnnSoftmaxForward");
  } else {
    const Array gy = pass.gy->contiguous();
    cudnn::check(cudnnSoftmaxBackward(handle, algorithm, mode, one, tensor,
                                      a.raw_data(), tensor, gy.raw_data(), zero,
                                      tensor, result.raw_data()),
                 "cudnnSoftmaxBackward");
  }
  return result;
}

[[maybe_unused]] const bool installed = softmax_cudnn.fill(run);

}  // namespace
}  // namespace catena::functions
