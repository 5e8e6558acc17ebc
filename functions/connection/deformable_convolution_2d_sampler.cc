#include "catena/functions/connection/deformable_convolution_2d_sampler.h"

#include <span>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/array/broadcast_to.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/internal/window.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

using type_check::Term;

constexpr std::string_view kName = "deformable_convolution_2d_sampler";

// Checks the inputs and computes the windows.
Window checked_window(const Variable& x, const Variable& offset,
                      const Variable& W, const Variable& b,
                      const DeformableConvolution2DSamplerOptions& options) {
  const VariableRef inputs[] = {x, offset, W, b};
  const TypeCheck unnamed(kName, std::span(inputs, b.defined() ? 4 : 3));
  TypeCheck in = unnamed;
  const auto [image, move, weight, bias] =
      in.names<4>({"x", "offset", "W", "b"}, /*required=*/3);
  in.expect_floating(image);
  in.expect(move.dtype() == image.dtype(), weight.dtype() == image.dtype(),
            image.ndim() == Term(4), move.ndim() == Term(4),
            weight.ndim() == Term(4));
  in.expect(weight.shape(1) == image.shape(1), weight.shape(2) > Term(0),
            weight.shape(3) > Term(0), move.shape(0) == image.shape(0));
  const WindowCall call{.function = kName,
                        .ksize = spatial_of(W.shape()),
                        .stride = options.stride,
                        .pad = options.pad};
  const Window window = call.window(2);
  expect_window_fits(in, image, window, false);
  const Shape out_size = out_size_of(spatial_of(x.shape()), window, false);
  in.expect(move.shape(1) == weight.shape(2) * weight.shape(3) * 2);
  if (spatial_of(offset.shape()) != out_size) {
    in.fail(
        str("offset.shape[2:4] == ", out_size, ", the positions of the window"),
        to_string(spatial_of(offset.shape())));
  }
  if (b.defined()) {
    in.expect(bias.dtype() == image.dtype(), bias.ndim() == Term(1));
    in.expect(bias.shape(0) == weight.shape(0));
  }
  return window;
}

// Sampling positions along one axis, for each output position and window
// element.
class Positions {
 public:
  // `where` holds positions in elements; `size` is the image's extent.
  Positions(const Variable& where, int64_t size)
      : size_(size),
        // Far enough outside to read nothing, near enough to be an index; NaN
        // counts as outside too.
        floor_(array::fmin(array::fmax(array::floor(where.data()), -2.0),
                           static_cast<double>(size))),
        above_(where - floor_) {}

  // The elements at or before the positions, or after them: their indices,
  // clamped to the border, whether they exist, and their weights.
  Array indexes(int side) const {
    return array::clip(array::add(floor_, side), 0, size_ - 1)
        .astype(Dtype::kInt64);
  }
  Array exist(int side) const {
    const Array index = array::add(floor_, side);
    return array::logical_and(array::greater_equal(index, 0),
                              array::less(index, static_cast<double>(size_)));
  }
  Variable share(int side) const { return side == 0 ? 1.0 - above_ : above_; }

 private:
  int64_t size_;
  Array floor_;
  Variable above_;
};

// The positions of window elements along an axis without offsets: (output
// positions, elements), both in C order.
Array resting_positions(const Window& window, const Shape& out_size, int axis,
                        const Array& like) {
  const int64_t other = 1 - axis;
  const auto along = [&](int64_t count, int64_t others) {
    const Array steps = array::arange(count, like.dtype());
    return axis == 0 ? steps.reshape({count, 1}).broadcast_to({count, others})
                     : steps.reshape({1, count}).broadcast_to({others, count});
  };
  const int o = static_cast<int>(other);
  const Array places = array::multiply(along(out_size[axis], out_size[o]),
                                       static_cast<double>(window.stride[axis]))
                           .reshape({-1, 1});
  const Array elements =
      along(window.ksize[axis], window.ksize[o]).reshape({1, -1});
  return array::subtract(array::add(places, elements),
                         static_cast<double>(window.pad[axis]))
      .to_device(like.device());
}

}  // namespace

Variable deformable_convolution_2d_sampler(
    const Variable& x, const Variable& offset, const Variable& W,
    const Variable& b, const DeformableConvolution2DSamplerOptions& options) {
  const Window window = checked_window(x, offset, W, b, options);
  const int64_t N = x.shape()[0];
  const int64_t C = x.shape()[1];
  const int64_t h = x.shape()[2];
  const int64_t w = x.shape()[3];
  const Shape out_size = spatial_of(offset.shape());
  const int64_t places = size_of(out_size);
  const int64_t elements = size_of(window.ksize);
  const int64_t channels = W.shape()[0];

  // One row per window element: samples, output positions, elements.
  const Variable moves =
      reshape(transpose(offset, {0, 2, 3, 1}), {N, places, 2 * elements});
  const Shape shape = {N, places, elements};
  const auto positions = [&](int axis, const Slice& part) {
    const Variable move = get_item(moves, {Slice(), Slice(), part});
    const Array rest = resting_positions(window, out_size, axis, x.data());
    return Positions(move + rest.broadcast_to(shape).contiguous(),
                     x.shape()[axis + 2]);
  };
  const Positions rows = positions(0, Slice(elements, 2 * elements));
  const Positions columns = positions(1, Slice(0, elements));

  // x's elements, channels last.
  const Variable pixels = reshape(transpose(x, {0, 2, 3, 1}), {N * h * w, C});
  const Array first_pixels = array::multiply(array::arange(N), h * w)
                                 .astype(Dtype::kInt64)
                                 .reshape({N, 1, 1})
                                 .to_device(x.device());
  Variable seen;
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 2; ++column) {
      const Array index =
          array::add(array::add(array::multiply(rows.indexes(row), w),
                                columns.indexes(column)),
                     first_pixels);
      const Array exist =
          array::logical_and(rows.exist(row), columns.exist(column));
      const Variable share =
          rows.share(row) * columns.share(column) * exist.astype(x.dtype());
      const Variable term =
          get_item(pixels, index.reshape({-1}), 0) *
          broadcast_to(reshape(share, {N * places * elements, 1}),
                       {N * places * elements, C});
      seen = seen.defined() ? seen + term : term;
    }
  }
  const Variable y =
      linear(reshape(seen, {N * places, elements * C}),
             reshape(transpose(W, {0, 2, 3, 1}), {channels, elements * C}), b);
  return transpose(reshape(y, {N, out_size[0], out_size[1], channels}),
                   {0, 3, 1, 2});
}

}  // namespace catena::functions
