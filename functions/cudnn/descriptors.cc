#include "catena/functions/cudnn/descriptors.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <ranges>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/core/warn_once.h"
#include "catena/array/linalg/float32_precision.h"
#include "catena/autograd/config.h"
#include "catena/cuda/cudnn_handle.h"

namespace catena::functions::cudnn {

void TensorDescriptor::set(const Extents& extents, Dtype dtype,
                           ImageOrder order) const {
  Extents axes(extents.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (order == ImageOrder::kChannelsLast) {
    std::rotate(axes.begin() + 1, axes.begin() + 2, axes.end());
  }
  Extents strides(extents.size());
  int stride = 1;
  for (const int axis : std::views::reverse(axes)) {
    strides[axis] = stride;
    stride *= extents[axis];
  }
  check(cuda::call_cudnn<cudnnSetTensorNdDescriptor>(
            *this, data_type(dtype), static_cast<int>(extents.size()),
            extents.data(), strides.data()),
        "cudnnSetTensorNdDescriptor");
}

Extents image_extents(const Array& images) {
  Extents extents(images.shape().begin(), images.shape().end());
  if (extents.size() == 3) extents.insert(extents.begin() + 2, 1);
  return extents;
}

Extents spatial_sizes(std::span<const int64_t> sizes, int of_added) {
  Extents result(sizes.begin(), sizes.end());
  if (result.size() == 1) result.insert(result.begin(), of_added);
  return result;
}

cudnnDataType_t data_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16:
      return CUDNN_DATA_HALF;
    case Dtype::kBFloat16:
      return CUDNN_DATA_BFLOAT16;
    case Dtype::kFloat64:
      return CUDNN_DATA_DOUBLE;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

cudnnDataType_t sum_type(Dtype dtype) {
  return dtype == Dtype::kFloat64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
}

cudnnMathType_t math_type(Dtype dtype) {
  const Usage usage = config().use_cudnn_tensor_core;
  if (usage == Usage::kNever) return CUDNN_FMA_MATH;
  const bool rounds =
      item_size(dtype) == 2 || usage == Usage::kAlways ||
      array::get_float32_precision() == array::Float32Precision::kTf32;
  // With float32, tensor cores mean TF32.
  return rounds ? CUDNN_TENSOR_OP_MATH : CUDNN_FMA_MATH;
}

bool is_usual(const Array& a) {
  return a.size() > 0 && a.size() <= std::numeric_limits<int>::max() &&
         is_floating(a.dtype());
}

void require_library() {
  const std::string& problem = cuda::cudnn_problem();
  if (problem.empty()) return;
  if (config().use_cudnn == Usage::kAlways) raise<DeviceError>(problem);
  warn_once("cuDNN", [&] {
    return problem +
           "; catena's own kernels are used, which are slower for "
           "convolutions and recurrent layers (CATENA_USE_CUDNN=never "
           "says so without this line)";
  });
  throw NotSupported();
}

void check(cudnnStatus_t status, std::string_view call,
           const SourceLocation& where) {
  if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED) {
    throw NotSupported();
  }
  cuda::check(status, call, where);
}

}  // namespace catena::functions::cudnn
