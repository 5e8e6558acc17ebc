#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/autograd/function_node.h"
#include "catena/functions/engines/spans/span_call.h"
#include "catena/functions/internal/window.h"
#include "catena/functions/pooling/internal/window_cudnn.h"
#include "catena/functions/pooling/internal/window_ops.h"
#include "catena/functions/spatial.h"

// Shared by pooling functions: sliding windows over the spatial axes of (N, C,
// d...), and linear maps between window elements and results, which are each
// other's gradients.
namespace catena::functions {

// Throws InvalidType unless the only input is floating, (N, C, d...), with the
// call's number of spatial axes.
void check_window_types(TypeCheck& in, const WindowCall& call);

// The windows over x's spatial axes. Throws ValueError when ksize, stride or
// pad have the wrong number of axes or are out of range, InvalidType when x has
// the wrong number of axes or no window fits.
WindowArgs windows_over(const Shape& x, const WindowCall& call);
// The windows over `outsize`, one per element of x; outsize defaults to the
// smallest possible. Throws InvalidType when the number of windows over
// `outsize` does not match x.
WindowArgs windows_onto(const Shape& x, const std::optional<Spatial>& outsize,
                        const WindowCall& call);

// Names the options of the windows: see options_of().
template <class Visit>
void visit_window(const WindowArgs& window, Visit visit) {
  const auto axes = static_cast<size_t>(window.ndim);
  visit("ksize", Shape(window.size, axes));
  visit("stride", Shape(window.stride, axes));
  visit("pad", Shape(window.pad, axes));
}

// The shape (N, C, ...) of the outputs, or the inputs, of x's windows.
Shape shape_of_outputs(const Shape& x, const WindowArgs& window);
Shape shape_of_inputs(const Shape& y, const WindowArgs& window);

// How kernels see images: as they are, or if their channels are last, as images
// of one channel (N, 1, d..., C) with one axis more, along which windows have
// one element.
class WindowLayout {
 public:
  // The layout of images as they are.
  WindowLayout() = default;
  // That of images like x.
  explicit WindowLayout(const Array& x);

  bool is_channels_last() const { return is_channels_last_; }
  // The window over images of that many channels.
  WindowArgs window(const WindowArgs& of_images, int64_t channels) const;
  // Converts images to what kernels see, contiguous, and back.
  Array pack(const Array& images) const;
  Array unpack(const Array& packed) const;

 private:
  bool is_channels_last_ = false;
};

// Runs a functor over the rows of its result, which reads `taps` window
// elements per result.
template <class Op>
void run_over_rows(const Op& op, const Array& result, int64_t taps) {
  const int64_t width = result.shape().back();
  run_spans(op, result, width == 0 ? 0 : result.size() / width, width,
            width * taps);
}
inline int64_t taps_of(const WindowArgs& window) {
  return WindowArgs::product(window.size, window.ndim);
}

// window_cudnn for images that are in C order; false for others, which are our
// kernels'.
bool pool_by_cudnn(const WindowLayout& layout, WindowPass pass,
                   const WindowArgs& window, double factor, const Array& from,
                   const Array& to);

// y = factor times the sum of each window of x.
Variable sum_windows(const Variable& x, const WindowArgs& window,
                     double factor);
// x = factor times the sum of the outputs whose windows contain the element.
Variable spread_windows(const Variable& y, const WindowArgs& window,
                        double factor);
// y = the element of each window of x selected by `taps`, int32, of y's shape
// in that layout.
Variable pick_from_windows(const Variable& x, const WindowArgs& window,
                           const Array& taps, const WindowLayout& layout = {});
// x = the sums of the elements of y that the taps place there.
Variable place_into_windows(const Variable& y, const WindowArgs& window,
                            const Array& taps, const WindowLayout& layout = {});

}  // namespace catena::functions
