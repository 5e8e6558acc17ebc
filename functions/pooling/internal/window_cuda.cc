// Pooling with cuDNN.

#include <cudnn.h>

#include <limits>

#include "catena/cuda/cudnn_handle.h"
#include "catena/cuda/device.h"
#include "catena/cuda/record_params.h"
#include "catena/functions/cudnn/descriptors.h"
#include "catena/functions/pooling/internal/window_cudnn.h"

namespace catena::functions {
namespace {

using cuda::call_cudnn;
using PoolingDescriptor =
    cudnn::Descriptor<cudnnPoolingDescriptor_t, cudnnCreatePoolingDescriptor,
                      cudnnDestroyPoolingDescriptor>;

// cuDNN supports up to three spatial axes, and no windows entirely in padding
// or beyond its end.
bool is_offered(const WindowArgs& w) {
  constexpr int64_t kMax = std::numeric_limits<int>::max();
  if (w.ndim > 3) return false;
  for (int d = 0; d < w.ndim; ++d) {
    const int64_t room = w.in[d] + 2 * w.pad[d] - w.size[d];
    if (w.size[d] > kMax || w.stride[d] > kMax || w.pad[d] >= w.size[d] ||
        room < 0 || w.out[d] != room / w.stride[d] + 1) {
      return false;
    }
  }
  return true;
}

bool run(WindowPass pass, const WindowArgs& w, double factor, const Array& from,
         const Array& to) {
  if (!cudnn::is_usual(from) || !cudnn::is_usual(to) || !is_offered(w)) {
    return false;
  }
  cuda::record_params(pass, w, factor);
  const Dtype dtype = from.dtype();
  const bool is_max = pass == WindowPass::kMaxima;
  const cudnn::Extents size =
      cudnn::spatial_sizes({w.size, static_cast<size_t>(w.ndim)}, 1);
  const cudnn::Extents pad =
      cudnn::spatial_sizes({w.pad, static_cast<size_t>(w.ndim)}, 0);
  const cudnn::Extents stride =
      cudnn::spatial_sizes({w.stride, static_cast<size_t>(w.ndim)}, 1);
  const PoolingDescriptor pooling;
  cudnn::check(call_cudnn<cudnnSetPoolingNdDescriptor>(
                   pooling,
                   is_max ? CUDNN_POOLING_MAX
                          : CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
                   CUDNN_PROPAGATE_NAN, static_cast<int>(size.size()),
                   size.data(), pad.data(), stride.data()),
               "cudnnSetPoolingNdDescriptor");
  const int device = from.device().index();
  const cuda::DeviceGuard guard(device);
  const cudnnHandle_t handle = cuda::cudnn_handle(device);
  const cudnn::TensorDescriptor source(cudnn::image_extents(from), dtype);
  const cudnn::TensorDescriptor target(cudnn::image_extents(to), dtype);
  // cuDNN computes means.
  const auto taps = static_cast<double>(WindowArgs::product(w.size, w.ndim));
  const cudnn::Factor scale(is_max ? 1 : factor * taps, dtype);
  const cudnn::Factor zero(0, dtype);
  if (pass != WindowPass::kSpread) {
    cudnn::check(call_cudnn<cudnnPoolingForward>(handle, pooling, scale, source,
                                                 from.raw_data(), zero, target,
                                                 to.raw_data()),
                 "cudnnPoolingForward");
    return true;
  }
  // The gradient of means does not read x and y, but they must be passed.
  cudnn::check(
      call_cudnn<cudnnPoolingBackward>(
          handle, pooling, scale, source, from.raw_data(), source,
          from.raw_data(), target, to.raw_data(), zero, target, to.raw_data()),
      "cudnnPoolingBackward");
  return true;
}

[[maybe_unused]] const bool installed =
    window_cudnn.fill(cudnn::WithLibrary<run>::call);

}  // namespace
}  // namespace catena::functions
