// The CUDA kernel of convolutions: cuDNN, or matrix products where cuDNN does
// not support the call.

#include "catena/array/creation.h"
#include "catena/array/kernel_definition.h"
#include "catena/functions/connection/internal/convolution_cudnn.h"
#include "catena/functions/connection/internal/convolution_kernel.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using namespace functions;  // NOLINT(google-build-using-namespace)

void convolve(ConvolutionPass pass, const ConvolutionArgs& args) {
  if (convolution_cudnn(args.x.device(), pass, args)) return;
  if (args.x.itemsize() == 2) return convolve_in_float32(convolve, pass, args);
  // Products write results in C order.
  const auto in_c_order = [&](const Array& a, ConvolutionPass computes) {
    return pass == computes && !a.is_contiguous() ? array::empty_like(a) : a;
  };
  const Array x = in_c_order(args.x, ConvolutionPass::kBackwardData);
  const Array y = in_c_order(args.y, ConvolutionPass::kForward);
  convolve_by_matmul(pass,
                     {args.function, args.geometry, x, args.W, y, args.b});
  if (!x.is_same(args.x)) args.x.assign(x);
  if (!y.is_same(args.y)) args.y.assign(y);
}

}  // namespace

template <>
constinit const ConvolutionKernels Kernels<ConvolutionKernels>::table = {
    convolve};

extern const auto kConvolutionKernels = register_kernels<ConvolutionKernels>();

}  // namespace catena::kernels::CATENA_BACKEND
