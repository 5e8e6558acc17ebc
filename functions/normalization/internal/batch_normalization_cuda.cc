// cuDNN's batch normalization of images in C order. Those whose channels are
// last are our kernels': cuDNN's persistent mode for them overflows on squares
// of float16.

#include <cudnn.h>

#include "catena/array/creation.h"
#include "catena/cuda/cudnn_handle.h"
#include "catena/cuda/device.h"
#include "catena/cuda/record_params.h"
#include "catena/functions/cudnn/descriptors.h"
#include "catena/functions/normalization/internal/batch_normalization_cudnn.h"

namespace catena::functions {
namespace {

using cuda::call_cudnn;

// cuDNN's descriptors of a batch.
class Problem {
 public:
  Problem(const Array& x, const ChannelLayout& layout)
      : mode(layout.inner() == 1 ? CUDNN_BATCHNORM_PER_ACTIVATION
                                 : CUDNN_BATCHNORM_SPATIAL),
        x({static_cast<int>(layout.outer()),
           static_cast<int>(layout.channels()),
           static_cast<int>(layout.inner()), 1},
          x.dtype()),
        one(1, x.dtype()),
        zero(0, x.dtype()),
        guard_(x.device().index()) {
    cudnn::check(
        call_cudnn<cudnnDeriveBNTensorDescriptor>(channels, this->x, mode),
        "cudnnDeriveBNTensorDescriptor");
    handle = cuda::cudnn_handle(x.device().index());
  }

  // A variance needs two elements, and CUDA grid sizes limit the batch.
  static bool is_offered(const Array& x, double eps,
                         const ChannelLayout& layout) {
    constexpr int64_t kMaxRows = 131070;
    constexpr int64_t kMaxImages = 880801;
    return cudnn::is_usual(x) && eps >= CUDNN_BN_MIN_EPSILON &&
           layout.count() >= 2 && !layout.is_channels_last() &&
           layout.outer() <= (layout.inner() == 1 ? kMaxRows : kMaxImages);
  }

  cudnnBatchNormMode_t mode;
  cudnn::TensorDescriptor x;
  cudnn::TensorDescriptor channels;
  cudnn::Factor one;
  cudnn::Factor zero;
  cudnnHandle_t handle;

 private:
  cuda::DeviceGuard guard_;
};

std::optional<CudnnBatchNormalization> normalize(
    const Array& x, const Array& gamma, const Array& beta, double eps,
    const ChannelLayout& layout, const CudnnBatchAverages& averages) {
  if (!Problem::is_offered(x, eps, layout)) return std::nullopt;
  const Problem problem(x, layout);
  cuda::record_params(eps, averages.share);
  const auto data_of = [](const Array& a) {
    return a.defined() ? a.raw_data() : nullptr;
  };
  const CudnnBatchNormalization result = {
      array::empty_like(x), array::empty_like(gamma), array::empty_like(gamma)};
  cudnn::check(
      call_cudnn<cudnnBatchNormalizationForwardTraining>(
          problem.handle, problem.mode, problem.one, problem.zero, problem.x,
          x.raw_data(), problem.x, result.y.raw_data(), problem.channels,
          gamma.raw_data(), beta.raw_data(), averages.share,
          data_of(averages.mean), data_of(averages.var), eps,
          result.mean.raw_data(), result.inverse_std.raw_data()),
      "cudnnBatchNormalizationForwardTraining");
  return result;
}

std::optional<CudnnBatchGradients> gradients(
    const Array& gy, const Array& x, const Array& gamma, const Array& mean,
    const Array& inverse_std, double eps, const ChannelLayout& layout) {
  if (!Problem::is_offered(x, eps, layout)) return std::nullopt;
  const Problem problem(x, layout);
  cuda::record_params(eps);
  const CudnnBatchGradients result = {
      array::empty_like(x), array::empty_like(gamma), array::empty_like(gamma)};
  cudnn::check(
      call_cudnn<cudnnBatchNormalizationBackward>(
          problem.handle, problem.mode, problem.one, problem.zero, problem.one,
          problem.zero, problem.x, x.raw_data(), problem.x, gy.raw_data(),
          problem.x, result.gx.raw_data(), problem.channels, gamma.raw_data(),
          result.ggamma.raw_data(), result.gbeta.raw_data(), eps,
          mean.raw_data(), inverse_std.raw_data()),
      "cudnnBatchNormalizationBackward");
  return result;
}

[[maybe_unused]] const bool installed =
    batch_normalization_cudnn.fill(cudnn::WithLibrary<normalize>::call) &&
    batch_gradients_cudnn.fill(cudnn::WithLibrary<gradients>::call);

}  // namespace
}  // namespace catena::functions
