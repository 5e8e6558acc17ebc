#pragma once

#include <cudnn.h>

#include <cstdint>
#include <span>
#include <vector>

#include "catena/functions/connection/internal/convolution_cudnn.h"
#include "catena/functions/connection/internal/convolution_kernel.h"
#include "catena/functions/cudnn/backend.h"
#include "catena/functions/cudnn/descriptors.h"

namespace catena::functions {

// One pass of a convolution as operations of cuDNN's graph API, and in a
// forward pass what follows it:
//   y = relu(convolution(x, W) + residual + b)
class ConvolutionGraph {
 public:
  // The arrays are in that order. Throws cudnn::NotSupported.
  ConvolutionGraph(ConvolutionPass pass, const ConvolutionArgs& args,
                   const ConvolutionEpilogue& epilogue,
                   cudnn::ImageOrder order);

  std::span<const cudnn::BackendDescriptor> operations() const {
    return operations_;
  }
  // The tensors in memory, and where they are.
  std::span<const int64_t> ids() const { return ids_; }
  std::span<void* const> data() const { return data_; }

 private:
  using Sizes = std::vector<int64_t>;
  struct Pass;

  static const Pass& attributes_of(ConvolutionPass pass);
  cudnn::BackendDescriptor tensor_of(const Array& a, const Sizes& extents);
  cudnn::BackendDescriptor between();
  void add_convolution(ConvolutionPass pass,
                       const ConvolutionGeometry& geometry,
                       const cudnn::BackendDescriptor& x,
                       const cudnn::BackendDescriptor& W,
                       const cudnn::BackendDescriptor& y);
  void add_pointwise(cudnnPointwiseMode_t mode,
                     const cudnn::BackendDescriptor& x,
                     const cudnn::BackendDescriptor* operand,
                     const cudnn::BackendDescriptor& y);

  cudnnDataType_t type_;
  cudnnDataType_t sum_type_;
  cudnn::ImageOrder order_;
  Sizes y_extents_;
  std::vector<cudnn::BackendDescriptor> operations_;
  Sizes ids_;
  std::vector<void*> data_;
  int64_t last_virtual_ = 0;
};

}  // namespace catena::functions
