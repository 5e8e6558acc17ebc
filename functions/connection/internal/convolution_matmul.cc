#include <algorithm>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/matmul.h"
#include "catena/functions/array/internal/columns.h"
#include "catena/functions/connection/internal/convolution_kernel.h"

namespace catena::functions {
namespace {

// The bytes of columns, or results, processed at a time, which fit into the
// caches.
constexpr int64_t kSampleBytes = int64_t{8} << 20;

// The arrays as stacks of matrices, one per sample and group: y (n, G, O / G,
// o) = W (1, G, O / G, C / G * k) columns (n, G, C / G * k, o).
class Matrices {
 public:
  explicit Matrices(const ConvolutionArgs& args)
      : groups_(args.geometry.groups),
        rows_(args.W.shape()[0] / groups_),
        depth_(size_of(args.W.shape()) / args.W.shape()[0]),
        places_(size_of(spatial_of(args.y.shape()))) {}

  Array weights(const Array& W) const {
    return W.reshape({1, groups_, rows_, depth_});
  }
  Array columns(const Array& columns) const {
    return columns.reshape({columns.shape()[0], groups_, depth_, places_});
  }
  Array result(const Array& y) const {
    return y.reshape({y.shape()[0], groups_, rows_, places_});
  }
  // Elements of one sample.
  int64_t column_count() const { return groups_ * depth_ * places_; }
  int64_t result_count() const { return groups_ * rows_ * places_; }

 private:
  int64_t groups_;
  int64_t rows_;
  int64_t depth_;
  int64_t places_;
};

Array columns_of(const Array& x, const ConvolutionArgs& args) {
  const Window& window = args.geometry.window;
  if (is_pointwise(window)) return x.contiguous();
  return image_to_columns(x, window, spatial_of(args.y.shape()));
}

void forward(const ConvolutionArgs& args, const Matrices& matrices,
             const Array& x, const Array& y) {
  if (args.b.defined()) {
    Shape shape = Shape::filled(y.ndim(), 1);
    shape[1] = args.b.size();
    y.assign(args.b.reshape(shape));
  }
  array::gemm(matrices.weights(args.W), matrices.columns(columns_of(x, args)),
              matrices.result(y), {.beta = args.b.defined() ? 1.0 : 0.0});
}

void backward_data(const ConvolutionArgs& args, const Matrices& matrices,
                   const Array& x, const Array& y) {
  Shape shape = y.shape();
  shape[1] = matrices.column_count() / size_of(spatial_of(shape));
  const bool is_direct = is_pointwise(args.geometry.window);
  const Array columns =
      is_direct ? x : array::empty(shape, x.dtype(), x.device());
  array::gemm(matrices.weights(args.W), matrices.result(y),
              matrices.columns(columns), {.transa = true});
  if (is_direct) return;
  x.assign(
      columns_to_image(columns, args.geometry.window, spatial_of(x.shape())));
}

void backward_weights(const ConvolutionArgs& args, const Matrices& matrices,
                      const Array& x, const Array& y) {
  const Array columns = matrices.columns(columns_of(x, args));
  const Array gradients = matrices.result(y);
  const Array sum = matrices.weights(args.W)[0];
  for (int64_t n = 0; n < x.shape()[0]; ++n) {
    array::gemm(gradients[n], columns[n], sum, {.transb = true, .beta = 1});
  }
}

}  // namespace

void convolve_by_matmul(ConvolutionPass pass, const ConvolutionArgs& args) {
  const Matrices matrices(args);
  const int64_t bytes =
      std::max(matrices.column_count(), matrices.result_count()) *
      args.x.itemsize();
  const int64_t batch = args.x.shape()[0];
  const int64_t step = std::max<int64_t>(1, kSampleBytes / bytes);
  if (pass == ConvolutionPass::kBackwardWeights) args.W.fill(0);
  for (int64_t begin = 0; begin < batch; begin += step) {
    const Slice samples(begin, std::min(begin + step, batch));
    const Array x = args.x[{samples}];
    const Array y = args.y[{samples}];
    switch (pass) {
      case ConvolutionPass::kForward:
        forward(args, matrices, x, y);
        break;
      case ConvolutionPass::kBackwardData:
        backward_data(args, matrices, x, y);
        break;
      case ConvolutionPass::kBackwardWeights:
        backward_weights(args, matrices, x, y);
        break;
    }
  }
}

void convolve_in_float32(ConvolutionKernel* kernel, ConvolutionPass pass,
                         const ConvolutionArgs& args) {
  const auto widened = [&](const Array& a, ConvolutionPass computes) {
    return pass == computes ? array::empty_like(a, Dtype::kFloat32)
                            : a.astype(Dtype::kFloat32);
  };
  const Array x = widened(args.x, ConvolutionPass::kBackwardData);
  const Array W = widened(args.W, ConvolutionPass::kBackwardWeights);
  const Array y = widened(args.y, ConvolutionPass::kForward);
  const Array b = args.b.defined() ? args.b.astype(Dtype::kFloat32) : Array();
  kernel(pass, {args.function, args.geometry, x, W, y, b});
  switch (pass) {
    case ConvolutionPass::kForward:
      return args.y.assign(y);
    case ConvolutionPass::kBackwardData:
      return args.x.assign(x);
    case ConvolutionPass::kBackwardWeights:
      return args.W.assign(W);
  }
}

}  // namespace catena::functions
