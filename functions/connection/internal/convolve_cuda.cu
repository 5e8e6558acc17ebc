// The CUDA kernel of convolutions: cuDNN, or matrix products where cuDNN does
// not support the call.

#include <string>

#include "catena/array/core/error.h"
#include "catena/array/core/warn_once.h"
#include "catena/array/creation.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/autograd/config.h"
#include "catena/cuda/workspace_size.h"
#include "catena/functions/connection/internal/convolution_cudnn.h"
#include "catena/functions/connection/internal/convolution_kernel.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using namespace functions;  // NOLINT(google-build-using-namespace)

std::string_view result_of(ConvolutionPass pass) {
  return pass == ConvolutionPass::kForward        ? "y"
         : pass == ConvolutionPass::kBackwardData ? "the gradient of x"
                                                  : "the gradient of W";
}

// For each function, result and dtype, unless cuDNN was not to be used anyway.
void warn_of_fallback(ConvolutionPass pass, const ConvolutionArgs& args) {
  if (!convolution_cudnn.is_filled() || !should_use_cudnn()) return;
  const Dtype dtype = args.x.dtype();
  warn_once(str(args.function, result_of(pass), dtype), [&] {
    const bool is_half = args.x.itemsize() == 2;
    const int64_t copies =
        2 * (args.x.nbytes() + args.W.nbytes() + args.y.nbytes());
    return str(
        args.function, ": cuDNN has no algorithm for ", result_of(pass), " of ",
        dtype, " x ", args.x.shape(), ", W ", args.W.shape(), " that needs at ",
        "most ", catena::cuda::get_max_workspace_size() >> 20,
        " MiB of workspace (cuda::set_max_workspace_size) and finds them "
        "free; ",
        is_half ? str("it is computed in float32, without tensor cores for it "
                      "and with ",
                      (copies >> 20) + 1, " MiB of copies")
                : "it is computed by matrix products of unfolded images",
        ", which may take ten times as long");
  });
}

void convolve(ConvolutionPass pass, const ConvolutionArgs& args) {
  if (convolution_cudnn(args.x.device(), pass, args)) return;
  warn_of_fallback(pass, args);
  if (args.x.itemsize() == 2) return convolve_in_float32(convolve, pass, args);
  // Products write results in C order.
  const auto in_c_order = [&](const Array& a, ConvolutionPass computes) {
    return pass == computes && !a.is_contiguous() ? array::empty_like(a) : a;
  };
  const Array x = in_c_order(args.x, ConvolutionPass::kBackwardData);
  const Array W = in_c_order(args.W, ConvolutionPass::kBackwardWeights);
  const Array y = in_c_order(args.y, ConvolutionPass::kForward);
  convolve_by_matmul(pass, {args.function, args.geometry, x, W, y, args.b});
  if (!x.is_same(args.x)) args.x.assign(x);
  if (!W.is_same(args.W)) args.W.assign(W);
  if (!y.is_same(args.y)) args.y.assign(y);
}

}  // namespace

template <>
constinit const ConvolutionKernels Kernels<ConvolutionKernels>::table = {
    convolve};

extern const auto kConvolutionKernels = register_kernels<ConvolutionKernels>();

}  // namespace catena::kernels::CATENA_BACKEND
