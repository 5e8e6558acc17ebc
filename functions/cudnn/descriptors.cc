#include "catena/functions/cudnn/descriptors.h"

#include <limits>

#include "catena/autograd/config.h"

namespace catena::functions::cudnn {

void TensorDescriptor::set(const Extents& extents, Dtype dtype) const {
  Extents strides(extents.size(), 1);
  for (size_t i = extents.size() - 1; i > 0; --i) {
    strides[i - 1] = strides[i] * extents[i];
  }
  cuda::check(cudnnSetTensorNdDescriptor(*this, data_type(dtype),
                                         static_cast<int>(extents.size()),
                                         extents.data(), strides.data()),
              "cudnnSetTensorNdDescriptor");
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
  const bool is_short = item_size(dtype) == 2;
  const Usage usage = config().use_cudnn_tensor_core;
  if (usage == Usage::kNever) return CUDNN_FMA_MATH;
  if (is_short) return CUDNN_TENSOR_OP_MATH;
  return usage == Usage::kAlways ? CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION
                                 : CUDNN_FMA_MATH;
}

bool is_usual(const Array& a) {
  return a.size() > 0 && a.size() <= std::numeric_limits<int>::max() &&
         is_floating(a.dtype()) && a.dtype() != Dtype::kBFloat16;
}

bool is_done(cudnnStatus_t status, std::string_view call) {
  if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED) return false;
  cuda::check(status, call);
  return true;
}

}  // namespace catena::functions::cudnn
