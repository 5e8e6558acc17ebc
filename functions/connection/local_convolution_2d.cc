#include "catena/functions/connection/local_convolution_2d.h"

#include <span>

#include "catena/array/core/error.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/array/broadcast_to.h"
#include "catena/functions/array/im2col.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/internal/window.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

using type_check::Term;

constexpr std::string_view kName = "local_convolution_2d";

void check_types(const Variable& x, const Variable& W, const Variable& b,
                 const LocalConvolution2DOptions& options) {
  const VariableRef inputs[] = {x, W, b};
  TypeCheck in(kName, std::span(inputs, b.defined() ? 3 : 2));
  const auto [image, weight, bias] =
      in.names<3>({"x", "W", "b"}, /*required=*/2);
  in.expect_floating(image);
  in.expect(weight.dtype() == image.dtype(), image.ndim() == Term(4),
            weight.ndim() == Term(6));
  in.expect(weight.shape(3) == image.shape(1), weight.shape(4) > Term(0),
            weight.shape(5) > Term(0));
  const Shape& shape = W.shape();
  const WindowCall call{.function = kName,
                        .ksize = {shape[4], shape[5]},
                        .stride = options.stride};
  const Window window = call.window(2);
  expect_window_fits(in, image, window, false);
  const Shape out_size = out_size_of(spatial_of(x.shape()), window, false);
  if (out_size != Shape{shape[1], shape[2]}) {
    in.fail(str("W.shape[1:3] == ", out_size, ", the positions of the window"),
            to_string(Shape{shape[1], shape[2]}));
  }
  if (!b.defined()) return;
  in.expect(bias.dtype() == image.dtype(), bias.ndim() == Term(3));
  for (int axis = 0; axis < 3; ++axis) {
    in.expect(bias.shape(axis) == weight.shape(axis));
  }
}

}  // namespace

Variable local_convolution_2d(const Variable& x, const Variable& W,
                              const Variable& b,
                              const LocalConvolution2DOptions& options) {
  check_types(x, W, b, options);
  const Shape& shape = W.shape();
  const int64_t samples = x.shape()[0];
  const int64_t channels = shape[0];
  const int64_t places = shape[1] * shape[2];
  const int64_t seen = shape[3] * shape[4] * shape[5];
  // One matrix product per output position.
  const Variable columns =
      im2col(x, {shape[4], shape[5]}, {.stride = options.stride});
  const Variable products =
      matmul(transpose(reshape(columns, {samples, seen, places}), {2, 0, 1}),
             transpose(reshape(W, {channels, places, seen}), {1, 2, 0}));
  const Variable y = reshape(transpose(products, {1, 2, 0}),
                             {samples, channels, shape[1], shape[2]});
  if (!b.defined()) return y;
  return y +
         broadcast_to(reshape(b, {1, channels, shape[1], shape[2]}), y.shape());
}

}  // namespace catena::functions
