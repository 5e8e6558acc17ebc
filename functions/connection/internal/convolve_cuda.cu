// The CUDA kernel of convolutions: cuDNN, or matrix products where cuDNN does
// not support the call.

#include "catena/array/kernel_definition.h"
#include "catena/functions/connection/internal/convolution_cudnn.h"
#include "catena/functions/connection/internal/convolution_kernel.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using namespace functions;  // NOLINT(google-build-using-namespace)

void convolve(ConvolutionPass pass, const ConvolutionArgs& args) {
  if (convolution_cudnn(args.x.device(), pass, args)) return;
  if (args.x.itemsize() == 2) {
    convolve_in_float32(convolve, pass, args);
  } else {
    convolve_by_matmul(pass, args);
  }
}

}  // namespace

template <>
constinit const ConvolutionKernels Kernels<ConvolutionKernels>::table = {
    convolve};

extern const auto kConvolutionKernels = register_kernels<ConvolutionKernels>();

}  // namespace catena::kernels::CATENA_BACKEND
