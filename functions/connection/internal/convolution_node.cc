#include "catena/functions/connection/internal/convolution_node.h"

#include <algorithm>
#include <span>
#include <utility>

#include "catena/array/channels_last.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/image_order.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/data_layout.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/connection/internal/convolution_kernel.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {
namespace {

using type_check::Input;
using type_check::Term;

Shape image_shape(int64_t samples, int64_t channels, const Shape& size) {
  Shape shape = {samples, channels};
  for (const int64_t extent : size) shape.push_back(extent);
  return shape;
}

// The bias reshaped to broadcast to images with that many spatial axes.
Array bias_of_images(const Array& b, int ndim) {
  return b.reshape(image_shape(1, b.size(), Shape::filled(ndim, 1)));
}

// Runs the kernel, handling empty arrays.
void run_kernel(ConvolutionPass pass, const ConvolutionArgs& args,
                const Array& result) {
  if (result.size() == 0) return;
  if (args.x.size() != 0 && args.W.size() != 0 && args.y.size() != 0) {
    kernel_slot<ConvolutionKernels>.on(result.device()).run(pass, args);
  } else if (args.b.defined()) {
    result.assign(bias_of_images(args.b, result.ndim() - 2));
  } else {
    result.fill(0);
  }
}

// A convolution of x with W, or its transpose, a deconvolution, plus b. Both
// are linear in x and in W, so their gradients are each other and
// WeightGradient, whose gradients are in turn these two.
class Convolution final : public FunctionNode {
 public:
  Convolution(std::string_view label, bool is_transposed,
              const ConvolutionGeometry& geometry, const Shape& out_size)
      : label_(label),
        is_transposed_(is_transposed),
        geometry_(geometry),
        out_size_(out_size) {}

  std::string_view label() const override { return label_; }
  FunctionDescription description() const override;
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  std::string_view label_;
  bool is_transposed_;
  ConvolutionGeometry geometry_;
  Shape out_size_;
  bool are_weights_reordered_ = false;  // with their channels last
};

// The gradient of W in y = convolution(x, W), given x and the gradient of y.
class WeightGradient final : public FunctionNode {
 public:
  // On a GPU the gradient has its channels last if that is wanted; the CPU's
  // kernels write C order.
  WeightGradient(const ConvolutionGeometry& geometry, bool is_reordered)
      : geometry_(geometry), is_reordered_(is_reordered) {}

  std::string_view label() const override { return "convolution_nd_grad_w"; }
  FunctionDescription description() const override;
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& ggW) override;

 private:
  ConvolutionGeometry geometry_;
  bool is_reordered_;
};

Variable apply_convolution(const Variable& x, const Variable& W,
                           bool is_transposed,
                           const ConvolutionGeometry& geometry,
                           const Shape& out_size) {
  return apply<Convolution>(
      {x, W}, is_transposed ? "deconvolution_nd" : "convolution_nd",
      is_transposed, geometry, out_size);
}

// ksize is W's.
FunctionOptions options_of_geometry(const ConvolutionGeometry& geometry) {
  const Window& window = geometry.window;
  return {{"stride", window.stride},
          {"pad", window.pad},
          {"dilate", window.dilate},
          {"groups", geometry.groups}};
}

FunctionDescription Convolution::description() const {
  FunctionOptions options = options_of_geometry(geometry_);
  if (!is_transposed_) {
    return FunctionDescription::of<kinds::Convolution>(std::move(options));
  }
  options.push_back({"outsize", out_size_});
  return FunctionDescription::of<kinds::Deconvolution>(std::move(options));
}

FunctionDescription WeightGradient::description() const {
  return FunctionDescription::of<kinds::ConvolutionWeightGradient>(
      options_of_geometry(geometry_));
}

Arrays Convolution::forward(const Arrays& in) {
  retain_factors();
  const Array& x = in[0];
  const Array& W = in[1];
  are_weights_reordered_ = has_channels_last(W);
  const Array b = in.size() > 2 ? in[2] : Array();
  const int64_t channels =
      is_transposed_ ? W.shape()[1] * geometry_.groups : W.shape()[0];
  const Array y = array::empty_in_order_of(
      x, image_shape(x.shape()[0], channels, out_size_), x.dtype());
  if (!is_transposed_) {
    run_kernel(ConvolutionPass::kForward, {label_, geometry_, x, W, y, b}, y);
    return {y};
  }
  run_kernel(ConvolutionPass::kBackwardData,
             {label_, geometry_, y, W, x, Array()}, y);
  if (b.defined()) {
    array::add(y, bias_of_images(b, out_size_.size()), {.out = y});
  }
  return {y};
}

Variables Convolution::backward(const Indexes& wanted, const Variables& gys) {
  const Variable& gy = gys[0];
  Variables gradients;
  for (const int i : wanted) {
    switch (i) {
      case 0:
        gradients.push_back(
            apply_convolution(gy, retained_input(1), !is_transposed_, geometry_,
                              spatial_of(inputs()[0]->shape())));
        break;
      case 1: {
        const Variable x = retained_input(0);
        gradients.push_back(catena::apply<WeightGradient>(
            {is_transposed_ ? gy : x, is_transposed_ ? x : gy}, geometry_,
            are_weights_reordered_));
        break;
      }
      case 2: {
        Axes axes = {0};
        for (int axis = 2; axis < gy.ndim(); ++axis) axes.push_back(axis);
        gradients.push_back(sum(gy, {.axis = axes}));
        break;
      }
    }
  }
  return gradients;
}

Arrays WeightGradient::forward(const Arrays& in) {
  retain_factors();
  const Array& x = in[0];
  const Array& gy = in[1];
  const Shape shape = image_shape(
      gy.shape()[1], x.shape()[1] / geometry_.groups, geometry_.window.ksize);
  const Array W = is_reordered_ && !x.device().is_native()
                      ? array::empty_channels_last(shape, x.dtype(), x.device())
                      : array::empty(shape, x.dtype(), x.device());
  run_kernel(ConvolutionPass::kBackwardWeights,
             {label(), geometry_, x, W, gy, Array()}, W);
  return {W};
}

Variables WeightGradient::backward(const Indexes& wanted,
                                   const Variables& ggW) {
  Variables gradients;
  for (const int i : wanted) {
    gradients.push_back(apply_convolution(retained_input(1 - i), ggW[0],
                                          /*is_transposed=*/i == 0, geometry_,
                                          spatial_of(inputs()[i]->shape())));
  }
  return gradients;
}

// The inputs of a call by name, and the checks shared by both directions.
struct CallInputs {
  CallInputs(std::string_view function, std::span<const VariableRef> inputs)
      : in(function, inputs) {
    const auto names = in.names<3>({"x", "W", "b"}, /*required=*/2);
    x = names[0];
    W = names[1];
    b = names[2];
  }

  ConvolutionGeometry geometry(const ConvolutionCall& call) const;

  TypeCheck in;
  Input x, W, b;
};

ConvolutionGeometry CallInputs::geometry(const ConvolutionCall& call) const {
  in.expect_floating(x);
  in.expect(W.dtype() == x.dtype());
  if (call.window.ndim) {
    in.expect(x.ndim() == Term(*call.window.ndim + 2));
  } else {
    in.expect(x.ndim() > Term(2));
  }
  in.expect(W.ndim() == x.ndim());
  const int ndim = x.array().ndim() - 2;
  for (int axis = 2; axis < ndim + 2; ++axis) {
    in.expect(W.shape(axis) > Term(0));
  }
  if (call.groups < 1) {
    raise<ValueError>(call.window.function,
                      ": expected groups of at least 1, got ", call.groups);
  }
  in.expect(W.shape(0) % type_check::make_variable(call.groups, "groups") == 0);
  WindowCall window = call.window;
  window.ksize = spatial_of(W.array().shape());
  return {.window = window.window(ndim), .groups = call.groups};
}

}  // namespace

Variable convolve(const Variable& x, const Variable& W, const Variable& b,
                  const ConvolutionCall& call) {
  const VariableRef inputs[] = {x, W, b};
  const std::span used(inputs, b.defined() ? 3 : 2);
  const CallInputs checked(call.window.function, used);
  const ConvolutionGeometry geometry = checked.geometry(call);
  const auto groups = type_check::make_variable(call.groups, "groups");
  checked.in.expect(checked.W.shape(1) * groups == checked.x.shape(1));
  if (b.defined()) {
    checked.in.expect(checked.b.dtype() == checked.x.dtype(),
                      checked.b.ndim() == Term(1));
    checked.in.expect(checked.b.shape(0) == checked.W.shape(0));
  }
  expect_window_fits(checked.in, checked.x, geometry.window,
                     call.window.cover_all);
  const Shape out_size = out_size_of(spatial_of(x.shape()), geometry.window,
                                     call.window.cover_all);
  return apply_all<Convolution>(used, call.window.function, false, geometry,
                                out_size)[0];
}

Variable deconvolve(const Variable& x, const Variable& W, const Variable& b,
                    const ConvolutionCall& call) {
  const VariableRef inputs[] = {x, W, b};
  const std::span used(inputs, b.defined() ? 3 : 2);
  const CallInputs checked(call.window.function, used);
  const ConvolutionGeometry geometry = checked.geometry(call);
  const Window& window = geometry.window;
  const auto groups = type_check::make_variable(call.groups, "groups");
  checked.in.expect(checked.W.shape(0) == checked.x.shape(1));
  if (b.defined()) {
    checked.in.expect(checked.b.dtype() == checked.x.dtype(),
                      checked.b.ndim() == Term(1));
    checked.in.expect(checked.W.shape(1) * groups == checked.b.shape(0));
  }
  const Shape size = spatial_of(x.shape());
  Shape out_size;
  if (call.outsize) {
    out_size =
        call.outsize->on_axes(size.size(), 1, call.window.function, "outsize");
  } else {
    for (int i = 0; i < size.size(); ++i) {
      out_size.push_back(get_deconv_outsize(size[i], window.ksize[i],
                                            window.stride[i], window.pad[i],
                                            false, window.dilate[i]));
    }
  }
  const bool is_positive =
      std::all_of(out_size.begin(), out_size.end(),
                  [](int64_t extent) { return extent > 0; });
  if (!is_positive || out_size_of(out_size, window, false) != size) {
    checked.in.fail(str("an outsize that a convolution maps to ", size),
                    str("outsize ", out_size));
  }
  return apply_all<Convolution>(used, call.window.function, true, geometry,
                                out_size)[0];
}

}  // namespace catena::functions
