// The CPU kernel of convolutions: Winograd's algorithm where it is faster, our
// tiled convolution where oneDNN's channel blocks would be partly empty,
// oneDNN, or matrix products where none of these works.

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "catena/array/core/parallel.h"
#include "catena/array/index.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/onednn/description.h"
#include "catena/array/onednn/operation.h"
#include "catena/array/onednn/primitive.h"
#include "catena/autograd/config.h"
#include "catena/functions/connection/internal/channels_last.h"
#include "catena/functions/connection/internal/convolution_kernel.h"
#include "catena/functions/connection/internal/tiled_convolution.h"
#include "catena/functions/connection/internal/winograd_convolution.h"
#include "catena/functions/connection/internal/winograd_forward.h"
#include "catena/functions/connection/winograd.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using namespace functions;  // NOLINT(google-build-using-namespace)

namespace onednn = ::catena::cpu::onednn;
using dnnl::memory;
using onednn::Operation;
using onednn::OperationKey;
using Direction = Operation::Direction;

constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;

// The layout of images for oneDNN: its preferred one, blocks of 16 channels,
// which is slow if blocks are partly empty, or another. In C order it uses
// matrix products.
enum class Layout { kAny, kPlain, kChannelsLast };

Layout layout_of(ConvolutionPass pass, const ConvolutionArgs& args) {
  if (args.geometry.groups > 1) return Layout::kAny;
  const int64_t in = args.x.shape()[1];
  const int64_t out = args.y.shape()[1];
  const bool is_for_weights = pass == ConvolutionPass::kBackwardWeights;
  if (is_pointwise(args.geometry.window)) {
    // Matrices in place, unless they are narrow or the work is small.
    const bool is_good = is_for_weights
                             ? in * out > 4096
                             : size_of(spatial_of(args.y.shape())) >= 128;
    if (is_good) return Layout::kPlain;
  }
  if (pass == ConvolutionPass::kBackwardData && in <= 8) return Layout::kPlain;
  const bool fills_blocks = (in <= 4 || in % 16 == 0) && out % 16 == 0;
  return fills_blocks ? Layout::kAny : Layout::kChannelsLast;
}

memory::desc describe(const Array& image, Layout layout) {
  switch (layout) {
    case Layout::kPlain:
      return onednn::describe(image.shape(), image.dtype());
    case Layout::kChannelsLast:
      return onednn::describe_channels_last(image.shape(), image.dtype());
    case Layout::kAny:
      break;
  }
  return onednn::describe_any(image.shape(), image.dtype());
}

// The dtypes, shapes and options for oneDNN.
struct Problem {
  Problem(const ConvolutionArgs& args, Layout layout)
      : layout(layout),
        x(describe(args.x, layout)),
        y(describe(args.y, layout)) {
    const Window& window = args.geometry.window;
    const int64_t groups = args.geometry.groups;
    weights_shape = args.W.shape();
    if (groups > 1) {
      weights_shape[0] /= groups;
      weights_shape.insert(0, groups);
    }
    W = onednn::describe_any(weights_shape, args.W.dtype());
    if (args.b.defined()) b = onednn::describe(args.b.shape(), args.b.dtype());
    for (int i = 0; i < window.ksize.size(); ++i) {
      const int64_t reach = (args.y.shape()[i + 2] - 1) * window.stride[i] +
                            (window.ksize[i] - 1) * window.dilate[i] + 1;
      stride.push_back(window.stride[i]);
      dilate.push_back(window.dilate[i] - 1);
      pad_left.push_back(window.pad[i]);
      // The padding that the last window needs; negative if it does not reach
      // the end.
      pad_right.push_back(reach - window.pad[i] - args.x.shape()[i + 2]);
    }
  }

  auto forward(const dnnl::primitive_attr& attributes) const {
    using Forward = dnnl::convolution_forward;
    const auto kind = dnnl::prop_kind::forward_training;
    return b.is_zero() ? onednn::describe_primitive<Forward>(
                             attributes, kind, kAlgorithm, x, W, y, stride,
                             dilate, pad_left, pad_right)
                       : onednn::describe_primitive<Forward>(
                             attributes, kind, kAlgorithm, x, W, b, y, stride,
                             dilate, pad_left, pad_right);
  }

  template <class Gradient>
  auto backward(const dnnl::primitive_attr& attributes,
                const dnnl::convolution_forward::primitive_desc& of) const {
    return onednn::describe_gradient<Gradient>(attributes, of, kAlgorithm, x, W,
                                               y, stride, dilate, pad_left,
                                               pad_right);
  }

  Layout layout;
  memory::desc x, y, W, b;
  Shape weights_shape;
  memory::dims stride, dilate, pad_left, pad_right;
};

// Whether oneDNN has an optimized implementation. It may be slow in our layout,
// but fast in its own.
template <class PrimitiveDesc>
bool is_good(const PrimitiveDesc& primitive, Layout layout) {
  if (primitive.get(/*allow_empty=*/true) == nullptr) return false;
  const std::string_view name = primitive.impl_info_str();
  return layout == Layout::kAny || !name.starts_with("ref");
}

// The pass with images in the given layout, if oneDNN supports it.
std::optional<Operation> make_in(Layout layout, ConvolutionPass pass,
                                 const ConvolutionArgs& args) {
  const Problem problem(args, layout);
  const auto attributes = onednn::with_user_scratchpad();
  const auto forward = problem.forward(attributes);
  if (!is_good(forward, problem.layout)) return std::nullopt;
  const memory::desc x = onednn::describe(args.x);
  const memory::desc y = onednn::describe(args.y);
  const memory::desc W =
      onednn::describe(problem.weights_shape, args.W.dtype());
  switch (pass) {
    case ConvolutionPass::kForward: {
      std::vector<Operation::Argument> arguments = {
          {DNNL_ARG_SRC, Direction::kIn, x, forward.src_desc()},
          {DNNL_ARG_WEIGHTS, Direction::kIn, W, forward.weights_desc()},
          {DNNL_ARG_DST, Direction::kOut, y, forward.dst_desc()}};
      if (args.b.defined()) {
        arguments.push_back(
            {DNNL_ARG_BIAS, Direction::kIn, problem.b, problem.b});
      }
      return Operation(dnnl::convolution_forward(forward),
                       forward.scratchpad_desc(), arguments);
    }
    case ConvolutionPass::kBackwardData: {
      using Gradient = dnnl::convolution_backward_data;
      const auto backward = problem.backward<Gradient>(attributes, forward);
      if (!is_good(backward, problem.layout)) return std::nullopt;
      const Operation::Argument arguments[] = {
          {DNNL_ARG_DIFF_SRC, Direction::kOut, x, backward.diff_src_desc()},
          {DNNL_ARG_WEIGHTS, Direction::kIn, W, backward.weights_desc()},
          {DNNL_ARG_DIFF_DST, Direction::kIn, y, backward.diff_dst_desc()}};
      return Operation(Gradient(backward), backward.scratchpad_desc(),
                       arguments);
    }
    case ConvolutionPass::kBackwardWeights: {
      using Gradient = dnnl::convolution_backward_weights;
      const auto backward = problem.backward<Gradient>(attributes, forward);
      if (!is_good(backward, problem.layout)) return std::nullopt;
      const Operation::Argument arguments[] = {
          {DNNL_ARG_SRC, Direction::kIn, x, backward.src_desc()},
          {DNNL_ARG_DIFF_WEIGHTS, Direction::kOut, W,
           backward.diff_weights_desc()},
          {DNNL_ARG_DIFF_DST, Direction::kIn, y, backward.diff_dst_desc()}};
      return Operation(Gradient(backward), backward.scratchpad_desc(),
                       arguments);
    }
  }
  return std::nullopt;
}

std::optional<Operation> make_operation(ConvolutionPass pass,
                                        const ConvolutionArgs& args) {
  const Layout layout = layout_of(pass, args);
  auto made = make_in(layout, pass, args);
  if (!made && layout != Layout::kAny) {
    made = make_in(Layout::kAny, pass, args);
  }
  return made;
}

OperationKey key_of(ConvolutionPass pass, const ConvolutionArgs& args) {
  OperationKey key(onednn::kConvolution);
  key.add(static_cast<int64_t>(pass));
  key.add(static_cast<int64_t>(args.x.dtype()));
  for (const Array* a : {&args.x, &args.W, &args.y}) {
    key.add(a->shape());
    key.add(a->strides());
  }
  const Window& window = args.geometry.window;
  for (const Shape* sizes : {&window.stride, &window.pad, &window.dilate}) {
    key.add(*sizes);
  }
  key.add(args.geometry.groups);
  key.add(args.b.defined());
  return key;
}

// Runs dense arrays at once. Returns false if oneDNN does not support the
// convolution.
bool run_by_onednn(ConvolutionPass pass, const ConvolutionArgs& args) {
  const auto operation =
      onednn::cached_operation(args.function, key_of(pass, args),
                               [&] { return make_operation(pass, args); });
  if (operation == nullptr) return false;
  const char* const x = args.x.raw_data();
  const char* const W = args.W.raw_data();
  const char* const y = args.y.raw_data();
  if (args.b.defined()) {
    operation->run(args.function, {x, W, y, args.b.raw_data()});
  } else {
    operation->run(args.function, {x, W, y});
  }
  return true;
}

// The number of samples reordered to and from oneDNN's layout at a time: few
// enough to stay in the caches, and enough to amortize the work on W.
int64_t samples_at_once(ConvolutionPass pass, const ConvolutionArgs& args) {
  constexpr int64_t kCachedBytes = int64_t{2} << 20;
  const int64_t batch = args.x.shape()[0];
  if (layout_of(pass, args) == Layout::kPlain) return batch;
  const int64_t bytes = std::max(kCachedBytes, 4 * args.W.nbytes());
  const int64_t parts = (args.x.nbytes() + args.y.nbytes()) / bytes + 1;
  return std::max<int64_t>(1, (batch + parts - 1) / parts);
}

// Reorders an image for oneDNN ourselves, because oneDNN's reorders are several
// times slower if channels are not a multiple of 16.
class Transposed {
 public:
  Transposed(const Array& image, bool is_transposed, bool is_result)
      : image_(image), array_(image), is_result_(is_result) {
    if (!is_transposed || !image.is_contiguous()) return;
    array_ = is_result ? array::empty_channels_last(
                             image.shape(), image.dtype(), image.device())
                       : to_channels_last(image);
  }
  const Array& array() const { return array_; }
  void finish() const {
    if (is_result_ && !array_.is_same(image_)) {
      from_channels_last(array_, image_);
    }
  }

 private:
  Array image_;
  Array array_;
  bool is_result_;
};

// Returns false if oneDNN does not support the convolution.
bool convolve_by_onednn(ConvolutionPass pass, const ConvolutionArgs& given) {
  if (given.x.ndim() > 5) return false;
  const Array x = onednn::dense(given.x);
  const Array W = given.W.contiguous();
  const Array y = onednn::dense(given.y);
  const Array b = given.b.defined() ? given.b.contiguous() : Array();
  const int64_t batch = x.shape()[0];
  const int64_t step =
      samples_at_once(pass, {given.function, given.geometry, x, W, y, b});
  const bool is_last = layout_of(pass, {given.function, given.geometry, x, W, y,
                                        b}) == Layout::kChannelsLast;
  const auto is_transposed = [&](const Array& image) {
    return is_last && image.shape()[1] % 16 != 0 && image.shape()[1] >= 4;
  };
  for (int64_t begin = 0; begin < batch; begin += step) {
    const Slice samples(begin, std::min(begin + step, batch));
    // The sum of the parts' gradients of W.
    const bool is_added =
        pass == ConvolutionPass::kBackwardWeights && begin > 0;
    const Array part = is_added ? array::empty_like(W) : W;
    const Transposed part_of_x(onednn::dense(x[{samples}]), is_transposed(x),
                               pass == ConvolutionPass::kBackwardData);
    const Transposed part_of_y(onednn::dense(y[{samples}]), is_transposed(y),
                               pass == ConvolutionPass::kForward);
    if (!run_by_onednn(pass, {given.function, given.geometry, part_of_x.array(),
                              part, part_of_y.array(), b})) {
      return false;
    }
    part_of_x.finish();
    part_of_y.finish();
    if (is_added) W += part;
  }
  return true;
}

// The maximum number of elements of the columns of a row of outputs, so that
// they fit into a core's caches.
constexpr int64_t kMaxColumns = int64_t{1} << 17;

// Whether the channels suit tiles better than oneDNN's blocks of 16; tiles are
// up to 3 times faster for one or three channels. Measured with 1 to 256
// channels and 6 to 320 outputs.
bool suits_tiles(ConvolutionPass pass, const ConvolutionArgs& args) {
  const Window& window = args.geometry.window;
  if (args.x.ndim() != 4 || args.x.dtype() != Dtype::kFloat32 ||
      args.geometry.groups != 1) {
    return false;
  }
  if (!should_use_onednn()) return true;
  if (should_use_onednn(Usage::kAlways)) return false;
  const int64_t batch = args.x.shape()[0];
  const int64_t in = args.x.shape()[1];
  const int64_t out = args.y.shape()[1];
  const int64_t columns = in * size_of(window.ksize) * args.y.shape()[3];
  if (window.ksize == Shape{1, 1} || columns > kMaxColumns ||
      batch < std::max(8, 2 * get_num_threads())) {
    return false;
  }
  if (pass == ConvolutionPass::kBackwardData && in <= 8) return true;
  if (window.stride != Shape{1, 1}) return false;
  const bool fills_blocks = out % 16 == 0;
  switch (pass) {
    case ConvolutionPass::kForward:
      return !fills_blocks && in <= (out < 20 ? 8 : 24);
    case ConvolutionPass::kBackwardData:
      return out >= 20 && (in < 16 || (in > 16 && in <= 24 && !fills_blocks));
    case ConvolutionPass::kBackwardWeights:
      return !fills_blocks && in <= 24 && out >= 32;
  }
  return false;
}

void convolve_in_tiles(ConvolutionPass pass, const ConvolutionArgs& args) {
  const Window& window = args.geometry.window;
  // The result is in C order already.
  const Array x = args.x.contiguous();
  const Array W = args.W.contiguous();
  const Array y = args.y.contiguous();
  const Array b = args.b.defined() ? args.b.contiguous() : Array();
  array::TiledConvolution tiled = {
      .batch = x.shape()[0],
      .channels = x.shape()[1],
      .height = x.shape()[2],
      .width = x.shape()[3],
      .outputs = y.shape()[1],
      .out_height = y.shape()[2],
      .out_width = y.shape()[3],
      .x = x.data<float>(),
      .W = W.data<float>(),
      .y = y.data<float>(),
      .b = b.defined() ? b.data<float>() : nullptr,
  };
  for (int i = 0; i < 2; ++i) {
    tiled.ksize[i] = window.ksize[i];
    tiled.stride[i] = window.stride[i];
    tiled.pad[i] = window.pad[i];
    tiled.dilate[i] = window.dilate[i];
  }
  const array::TiledConvolutionKernels& kernels =
      kernel_slot<array::TiledConvolutionKernels>.on(Device());
  switch (pass) {
    case ConvolutionPass::kForward:
      return kernels.forward(tiled);
    case ConvolutionPass::kBackwardData:
      return kernels.backward_data(tiled);
    case ConvolutionPass::kBackwardWeights:
      return kernels.backward_weights(tiled);
  }
}

bool uses_winograd(const ConvolutionArgs& args) {
  return is_winograd_enabled() && !should_use_onednn(Usage::kAlways) &&
         args.x.dtype() == Dtype::kFloat32 && args.geometry.groups == 1 &&
         suits_winograd(args.x.shape(), args.W.shape()[0],
                        args.geometry.window);
}

void convolve_by_winograd(ConvolutionPass pass, const ConvolutionArgs& args) {
  const Shape& pad = args.geometry.window.pad;
  const Array x = args.x.contiguous();
  const Array W = args.W.contiguous();
  const Array y = args.y.contiguous();
  const Array b = args.b.defined() ? args.b.contiguous() : Array();
  const array::WinogradConvolution winograd = {
      .batch = x.shape()[0],
      .channels = x.shape()[1],
      .height = x.shape()[2],
      .width = x.shape()[3],
      .outputs = y.shape()[1],
      .pad = {pad[0], pad[1]},
      .x = x.data<float>(),
      .y = y.data<float>(),
      .W = W.data<float>(),
      .b = b.defined() ? b.data<float>() : nullptr,
  };
  const array::WinogradKernels& kernels =
      kernel_slot<array::WinogradKernels>.on(Device());
  switch (pass) {
    case ConvolutionPass::kForward:
      return kernels.forward(winograd);
    case ConvolutionPass::kBackwardData:
      return kernels.backward_data(winograd);
    case ConvolutionPass::kBackwardWeights:
      return kernels.backward_weights(winograd);
  }
}

// Whether the gradient of pointwise weights is computed as one product over the
// pixels of all images. oneDNN adds up the products of images, which are thin
// where images are small: up to 1.8 times slower for 7 by 7 pixels, 1.1 for 14
// by 14, and faster from 28 by 28 on.
bool suits_one_product(ConvolutionPass pass, const ConvolutionArgs& args) {
  constexpr int64_t kMaxPixels = 256;
  return pass == ConvolutionPass::kBackwardWeights &&
         args.x.dtype() == Dtype::kFloat32 && args.geometry.groups == 1 &&
         is_pointwise(args.geometry.window) && args.x.shape()[0] > 1 &&
         args.W.size() > 4096 &&
         size_of(spatial_of(args.y.shape())) <= kMaxPixels &&
         !should_use_onednn(Usage::kAlways);
}

// (C, pixels of all images)
Array pixels_by_channel(const Array& images) {
  Axes axes = {1, 0};
  for (int axis = 2; axis < images.ndim(); ++axis) axes.push_back(axis);
  return images.transpose(axes).reshape({images.shape()[1], -1});
}

void multiply_pixels(const ConvolutionArgs& args) {
  const Shape& shape = args.W.shape();
  array::gemm(pixels_by_channel(args.y), pixels_by_channel(args.x),
              args.W.reshape({shape[0], shape[1]}), {.transb = true});
}

// The elements of x that a window of one element reads, as a view. Undefined
// when it reads all, or extends beyond the end.
Array strided_input_view(const ConvolutionArgs& args) {
  const Window& window = args.geometry.window;
  if (!is_unpadded_1x1(window) || is_pointwise(window)) return {};
  const Array& x = args.x;
  Shape shape = x.shape();
  Strides strides = x.strides();
  for (int i = 0; i < window.stride.size(); ++i) {
    shape[i + 2] = args.y.shape()[i + 2];
    strides[i + 2] *= window.stride[i];
    if ((shape[i + 2] - 1) * window.stride[i] >= x.shape()[i + 2]) return {};
  }
  return Array(x.storage(), x.dtype(), shape, strides,
               x.raw_data() - x.storage()->data());
}

void convolve(ConvolutionPass pass, const ConvolutionArgs& args);

// A convolution with stride 1 over those elements.
void convolve_strided_input_view(ConvolutionPass pass,
                                 const ConvolutionArgs& args,
                                 const Array& seen) {
  ConvolutionGeometry geometry = args.geometry;
  Shape& stride = geometry.window.stride;
  stride = Shape::filled(stride.size(), 1);
  const bool is_result = pass == ConvolutionPass::kBackwardData;
  const Array x = is_result ? array::empty_like(seen) : seen.contiguous();
  convolve(pass, {args.function, geometry, x, args.W, args.y, args.b});
  if (!is_result) return;
  args.x.fill(0);
  seen.assign(x);
}

void convolve(ConvolutionPass pass, const ConvolutionArgs& args) {
  if (const Array seen = strided_input_view(args); seen.defined()) {
    return convolve_strided_input_view(pass, args, seen);
  }
  if (uses_winograd(args)) return convolve_by_winograd(pass, args);
  if (suits_tiles(pass, args)) return convolve_in_tiles(pass, args);
  if (suits_one_product(pass, args)) return multiply_pixels(args);
  const Dtype dtype = args.x.dtype();
  if (should_use_onednn() && onednn::computes_in(dtype)) {
    if (convolve_by_onednn(pass, args)) return;
  } else if (item_size(dtype) == 2) {
    return convolve_in_float32(convolve, pass, args);
  }
  convolve_by_matmul(pass, args);
}

}  // namespace

template <>
constinit const ConvolutionKernels Kernels<ConvolutionKernels>::table = {
    convolve};

}  // namespace catena::kernels::CATENA_BACKEND
