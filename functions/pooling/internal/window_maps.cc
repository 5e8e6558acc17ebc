#include "catena/functions/pooling/internal/window_maps.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/array/image_order.h"
#include "catena/functions/engines/spans/map_pair.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

Shape with_spatial_axes(const Shape& shape, const int64_t* extents, int ndim) {
  Shape result{shape[0], shape[1]};
  for (int d = 0; d < ndim; ++d) result.push_back(extents[d]);
  return result;
}

// The window of a call, for images of `ndim` axes, as kernels take it.
WindowArgs args_of(const WindowCall& call, int ndim) {
  const Window window = call.window(ndim);
  WindowArgs args = {};
  args.ndim = ndim;
  std::ranges::copy(window.ksize, args.size);
  std::ranges::copy(window.stride, args.stride);
  std::ranges::copy(window.pad, args.pad);
  return args;
}

int spatial_axes(const Shape& x, const WindowCall& call) {
  const int ndim = x.ndim() - 2;
  if (ndim < 1 || ndim != call.ndim.value_or(ndim)) {
    raise<InvalidType>(call.function, ": expected x of ",
                       call.ndim ? str(*call.ndim) : "1 or more",
                       " spatial axes after batch and channels, got shape ", x);
  }
  return ndim;
}

int64_t outsize_of(const WindowArgs& w, int d, bool cover_all) {
  return get_conv_outsize(w.in[d], w.size[d], w.stride[d], w.pad[d], cover_all);
}

// The outputs, or the inputs, for packed images.
Array empty_outputs(const Array& x, const WindowArgs& window) {
  return array::empty(shape_of_outputs(x.shape(), window), x.dtype(),
                      x.device());
}
Array empty_inputs(const Array& y, const WindowArgs& window) {
  return array::empty(shape_of_inputs(y.shape(), window), y.dtype(),
                      y.device());
}

// y = factor times the sum of each window of x, and its transpose, which sums
// the outputs whose windows contain an element.
struct WindowSums {
  static constexpr std::string_view kLabel = "sums of windows";
  using Kind = kinds::WindowSums;
  WindowArgs of_images;
  double factor;
  // The layout that x has. That of its gradient, too: y's may be in C order, as
  // images of one element always are.
  WindowLayout of_x;

  FunctionKind kind() const {
    const bool is_mean =
        factor == 1.0 / static_cast<double>(taps_of(of_images));
    return is_mean ? FunctionKind::of<kinds::AveragePooling>()
                   : FunctionKind::of<Kind>();
  }
  template <class Visit>
  void visit_options(Visit visit) const {
    visit_window(of_images, visit);
    visit("factor", factor);
  }
  Array map(const Array& a) const {
    const WindowLayout layout(a);
    const WindowArgs window = layout.window(of_images, a.shape()[1]);
    const Array x = layout.pack(a);
    const Array y = empty_outputs(x, window);
    if (!pool_by_cudnn(layout, WindowPass::kSums, window, factor, x, y)) {
      run_over_rows(WindowSum{window, x.raw_data(), y.raw_data(), factor}, y,
                    taps_of(window));
    }
    return layout.unpack(y);
  }
  Array transposed(const Array& a) const {
    const WindowLayout layout =
        of_x.is_channels_last() ? of_x : WindowLayout(a);
    const WindowArgs window = layout.window(of_images, a.shape()[1]);
    const Array y = layout.pack(a);
    const Array x = empty_inputs(y, window);
    if (!pool_by_cudnn(layout, WindowPass::kSpread, window, factor, y, x)) {
      run_over_rows(WindowSpread{window, y.raw_data(), x.raw_data(), factor}, x,
                    taps_of(window));
    }
    return layout.unpack(x);
  }
};

// y = the element of each window at its tap, and the transpose.
struct WindowTaps {
  static constexpr std::string_view kLabel = "taps of windows";
  using Kind = kinds::WindowTaps;
  WindowArgs of_images;
  Array taps;
  WindowLayout layout;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit_window(of_images, visit);
    visit("taps", taps);
  }
  Array map(const Array& a) const {
    const WindowArgs window = layout.window(of_images, a.shape()[1]);
    const Array x = layout.pack(a);
    const Array y = empty_outputs(x, window);
    run_over_rows(
        WindowPick{window, x.raw_data(), taps.data<int32_t>(), y.raw_data()}, y,
        1);
    return layout.unpack(y);
  }
  Array transposed(const Array& a) const {
    const WindowArgs window = layout.window(of_images, a.shape()[1]);
    const Array y = layout.pack(a);
    const Array x = empty_inputs(y, window);
    const int64_t elements = WindowArgs::product(window.in, window.ndim);
    run_spans(
        WindowPlace{window, y.raw_data(), taps.data<int32_t>(), x.raw_data()},
        y, x.shape()[0] * x.shape()[1], elements, elements);
    return layout.unpack(x);
  }
};

}  // namespace

void check_window_types(TypeCheck& in, const WindowCall& call) {
  const auto [x] = in.names<1>({"x"});
  in.expect_floating(x);
  if (call.ndim) {
    in.expect(x.ndim() == type_check::Term(*call.ndim + 2));
  } else {
    in.expect(x.ndim() >= type_check::Term(3));
  }
}

WindowArgs windows_over(const Shape& x, const WindowCall& call) {
  const int ndim = spatial_axes(x, call);
  WindowArgs window = args_of(call, ndim);
  for (int d = 0; d < ndim; ++d) {
    window.in[d] = x[d + 2];
    window.out[d] = outsize_of(window, d, call.cover_all);
    if (window.out[d] < 1) {
      raise<InvalidType>(
          call.function, ": expected a window that fits into x with its ",
          "padding, got ksize ", window.size[d], " and pad ", window.pad[d],
          " for extent ", window.in[d], " of x ", x);
    }
  }
  return window;
}

WindowArgs windows_onto(const Shape& x, const std::optional<Spatial>& outsize,
                        const WindowCall& call) {
  const int ndim = spatial_axes(x, call);
  WindowArgs window = args_of(call, ndim);
  Shape sizes = Shape::filled(ndim, 0);
  if (outsize) sizes = outsize->on_axes(ndim, 1, call.function, "outsize");
  for (int d = 0; d < ndim; ++d) {
    window.out[d] = x[d + 2];
    window.in[d] = outsize ? sizes[d]
                           : get_deconv_outsize(window.out[d], window.size[d],
                                                window.stride[d], window.pad[d],
                                                call.cover_all);
    const int64_t fits =
        window.in[d] < 1 ? 0 : outsize_of(window, d, call.cover_all);
    if (fits != window.out[d]) {
      raise<InvalidType>(call.function, ": expected outsize with ",
                         window.out[d], " windows along spatial axis ", d,
                         " for x ", x, ", got ", window.in[d], " with ", fits);
    }
  }
  return window;
}

Shape shape_of_outputs(const Shape& x, const WindowArgs& window) {
  return with_spatial_axes(x, window.out, window.ndim);
}

Shape shape_of_inputs(const Shape& y, const WindowArgs& window) {
  return with_spatial_axes(y, window.in, window.ndim);
}

WindowLayout::WindowLayout(const Array& x)
    : is_channels_last_(x.ndim() < kMaxDims && array::keeps_channels_last(x)) {}

WindowArgs WindowLayout::window(const WindowArgs& of_images,
                                int64_t channels) const {
  WindowArgs window = of_images;
  if (is_channels_last_) {
    const int last = window.ndim++;
    window.in[last] = window.out[last] = channels;
    window.size[last] = window.stride[last] = 1;
    window.pad[last] = 0;
  }
  return window;
}

Array WindowLayout::pack(const Array& images) const {
  return is_channels_last_
             ? array::channels_moved_last(images).contiguous().expand_dims(1)
             : images.contiguous();
}

Array WindowLayout::unpack(const Array& packed) const {
  return is_channels_last_ ? array::as_channels_last(packed.squeeze(1))
                           : packed;
}

bool pool_by_cudnn(const WindowLayout& layout, WindowPass pass,
                   const WindowArgs& window, double factor, const Array& from,
                   const Array& to) {
  return !layout.is_channels_last() &&
         window_cudnn(from.device(), pass, window, factor, from, to);
}

Variable sum_windows(const Variable& x, const WindowArgs& window,
                     double factor) {
  return apply_pair(x, WindowSums{window, factor, WindowLayout(x.data())});
}

Variable spread_windows(const Variable& y, const WindowArgs& window,
                        double factor) {
  return apply_transposed(y, WindowSums{window, factor, WindowLayout()});
}

Variable pick_from_windows(const Variable& x, const WindowArgs& window,
                           const Array& taps, const WindowLayout& layout) {
  return apply_pair(x, WindowTaps{window, taps, layout});
}

Variable place_into_windows(const Variable& y, const WindowArgs& window,
                            const Array& taps, const WindowLayout& layout) {
  return apply_transposed(y, WindowTaps{window, taps, layout});
}

}  // namespace catena::functions
