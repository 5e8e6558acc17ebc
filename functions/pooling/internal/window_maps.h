#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/autograd/function_node.h"
#include "catena/functions/engines/spans/span_call.h"
#include "catena/functions/internal/window.h"
#include "catena/functions/pooling/internal/window_ops.h"
#include "catena/functions/spatial.h"

// What pooling functions share: windows that move over the spatial axes of
// (N, C, d...), and the linear maps between their elements and their results,
// where each is the gradient of another.
namespace catena::functions {

// InvalidType unless the only input is floating, (N, C, d...) with the spatial
// axes of the call.
void check_window_types(TypeCheck& in, const WindowCall& call);

// The windows over x's spatial axes. ValueError when ksize, stride or pad have
// another number of axes or are out of range, InvalidType when x has another
// number of axes or no window fits.
WindowArgs windows_over(const Shape& x, const WindowCall& call);
// Those that give x's elements, over `outsize`; found from x's extents unless
// it is given. InvalidType when the windows over `outsize` are of another
// number than x's elements.
WindowArgs windows_onto(const Shape& x, const std::optional<Spatial>& outsize,
                        const WindowCall& call);

// The shape of all outputs, or all inputs, for an array (N, C, ...).
Shape shape_of_outputs(const Shape& x, const WindowArgs& window);
Shape shape_of_inputs(const Shape& y, const WindowArgs& window);

// Runs a functor over the rows of its result, which has `taps` elements of
// windows for each of its own.
template <class Op>
void run_over_rows(const Op& op, const Array& result, int64_t taps) {
  const int64_t width = result.shape().back();
  run_spans(op, result, width == 0 ? 0 : result.size() / width, width,
            width * taps);
}
inline int64_t taps_of(const WindowArgs& window) {
  return WindowArgs::product(window.size, window.ndim);
}

// y = factor sum of each window of x.
Variable sum_windows(const Variable& x, const WindowArgs& window,
                     double factor);
// x = factor sum of the outputs whose windows an element is in.
Variable spread_windows(const Variable& y, const WindowArgs& window,
                        double factor);
// y = the element of each window of x that `taps`, int32 and of y's shape, say.
Variable pick_from_windows(const Variable& x, const WindowArgs& window,
                           const Array& taps);
// x = the sums of those elements of y that the taps put into its place.
Variable place_into_windows(const Variable& y, const WindowArgs& window,
                            const Array& taps);

}  // namespace catena::functions
