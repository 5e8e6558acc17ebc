#include "catena/functions/connection/internal/convolution_graph.h"

#include <utility>

namespace catena::functions {
namespace {

using cudnn::BackendDescriptor;
using cudnn::ImageOrder;

using Sizes = std::vector<int64_t>;

Sizes wide(const cudnn::Extents& sizes) {
  return Sizes(sizes.begin(), sizes.end());
}

// The strides of a contiguous tensor (N, C, d...).
Sizes strides_of(const Sizes& extents, ImageOrder order) {
  Sizes strides(extents.size());
  int64_t next = 1;
  const auto set = [&](size_t axis) {
    strides[axis] = next;
    next *= extents[axis];
  };
  const bool is_last = order == ImageOrder::kChannelsLast;
  if (is_last) set(1);
  for (size_t axis = extents.size() - 1; axis > 1; --axis) set(axis);
  if (!is_last) set(1);
  set(0);
  return strides;
}

BackendDescriptor convolution_of(const Window& window, cudnnDataType_t type) {
  BackendDescriptor convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const auto set = [&](cudnnBackendAttributeName_t name, const Shape& sizes,
                       int of_added) {
    const Sizes all = wide(cudnn::spatial_sizes(sizes, of_added));
    convolution.set_all(name, std::span<const int64_t>(all));
    return static_cast<int64_t>(all.size());
  };
  convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, type);
  convolution.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
  set(CUDNN_ATTR_CONVOLUTION_DILATIONS, window.dilate, 1);
  set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, window.stride, 1);
  set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, window.pad, 0);
  const int64_t ndim = set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, window.pad, 0);
  convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, ndim);
  convolution.finalize();
  return convolution;
}

}  // namespace

// cuDNN's names for a pass and its attributes.
struct ConvolutionGraph::Pass {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t convolution, x, W, y;
  // The factors of what is computed and of what was there.
  cudnnBackendAttributeName_t alpha, beta;
};

const ConvolutionGraph::Pass& ConvolutionGraph::attributes_of(
    ConvolutionPass pass) {
  static constexpr Pass kForward = {
      CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
  static constexpr Pass kBackwardData = {
      CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
  static constexpr Pass kBackwardWeights = {
      CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
  switch (pass) {
    case ConvolutionPass::kForward:
      return kForward;
    case ConvolutionPass::kBackwardData:
      return kBackwardData;
    default:
      return kBackwardWeights;
  }
}

ConvolutionGraph::ConvolutionGraph(ConvolutionPass pass,
                                   const ConvolutionArgs& args,
                                   const ConvolutionEpilogue& epilogue,
                                   ImageOrder order)
    : type_(cudnn::data_type(args.x.dtype())),
      sum_type_(cudnn::sum_type(args.x.dtype())),
      order_(order),
      y_extents_(wide(cudnn::image_extents(args.y))) {
  const BackendDescriptor x =
      tensor_of(args.x, wide(cudnn::image_extents(args.x)));
  const BackendDescriptor W =
      tensor_of(args.W, wide(cudnn::image_extents(args.W)));
  const bool is_forward = pass == ConvolutionPass::kForward;
  const bool adds_residual = is_forward && epilogue.residual.defined();
  const bool adds_bias = is_forward && args.b.defined();
  const bool is_relu = is_forward && epilogue.relu;
  // The last operation writes y.
  int following = adds_residual + adds_bias + is_relu;
  const auto next_result = [&] {
    return following-- > 0 ? between() : tensor_of(args.y, y_extents_);
  };
  BackendDescriptor result = next_result();
  add_convolution(pass, args.geometry, x, W, result);
  const auto append = [&](cudnnPointwiseMode_t mode,
                          const BackendDescriptor* operand) {
    BackendDescriptor next = next_result();
    add_pointwise(mode, result, operand, next);
    result = std::move(next);
  };
  if (adds_residual) {
    const BackendDescriptor residual = tensor_of(epilogue.residual, y_extents_);
    append(CUDNN_POINTWISE_ADD, &residual);
  }
  if (adds_bias) {
    Sizes of_channels(y_extents_.size(), 1);
    of_channels[1] = args.b.size();
    const BackendDescriptor b = tensor_of(args.b, of_channels);
    append(CUDNN_POINTWISE_ADD, &b);
  }
  if (is_relu) append(CUDNN_POINTWISE_RELU_FWD, nullptr);
}

// A tensor of an array's elements.
BackendDescriptor ConvolutionGraph::tensor_of(const Array& a,
                                              const Sizes& extents) {
  const auto id = static_cast<int64_t>(ids_.size()) + 1;
  ids_.push_back(id);
  data_.push_back(a.raw_data());
  return cudnn::backend_tensor(
      {id, type_, extents, strides_of(extents, order_)});
}

// A tensor of y's shape, in no memory.
BackendDescriptor ConvolutionGraph::between() {
  return cudnn::backend_tensor({--last_virtual_, sum_type_, y_extents_,
                                strides_of(y_extents_, order_),
                                /*is_virtual=*/true});
}

void ConvolutionGraph::add_convolution(ConvolutionPass pass,
                                       const ConvolutionGeometry& geometry,
                                       const BackendDescriptor& x,
                                       const BackendDescriptor& W,
                                       const BackendDescriptor& y) {
  const Pass& attributes = attributes_of(pass);
  const BackendDescriptor convolution =
      convolution_of(geometry.window, sum_type_);
  BackendDescriptor operation(attributes.operation);
  operation.set(attributes.convolution, convolution);
  operation.set(attributes.x, x);
  operation.set(attributes.W, W);
  operation.set(attributes.y, y);
  if (sum_type_ == CUDNN_DATA_DOUBLE) {
    operation.set(attributes.alpha, 1.0);
    operation.set(attributes.beta, 0.0);
  } else {
    operation.set(attributes.alpha, 1.0F);
    operation.set(attributes.beta, 0.0F);
  }
  operation.finalize();
  operations_.push_back(std::move(operation));
}

// y = mode(x, operand), or mode(x).
void ConvolutionGraph::add_pointwise(cudnnPointwiseMode_t mode,
                                     const BackendDescriptor& x,
                                     const BackendDescriptor* operand,
                                     const BackendDescriptor& y) {
  BackendDescriptor pointwise(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  pointwise.set(CUDNN_ATTR_POINTWISE_MODE, mode);
  pointwise.set(CUDNN_ATTR_POINTWISE_MATH_PREC, sum_type_);
  if (mode == CUDNN_POINTWISE_RELU_FWD) {
    pointwise.set(CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, CUDNN_PROPAGATE_NAN);
  }
  pointwise.finalize();
  BackendDescriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, pointwise);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
  if (operand != nullptr) {
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *operand);
  }
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  operation.finalize();
  operations_.push_back(std::move(operation));
}

}  // namespace catena::functions
