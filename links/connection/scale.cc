#include "catena/links/connection/scale.h"

#include "catena/array/core/error.h"
#include "catena/functions/math/scale.h"

namespace catena::links {

Scale::Scale(const ScaleOptions& options)
    : W(options.W_shape ? Param(this, "W", 1.0, options.W_shape) : Param()),
      axis_(options.axis) {
  if (!options.bias_term) return;
  const std::optional<Shape>& shape =
      options.W_shape ? options.W_shape : options.bias_shape;
  if (!shape) {
    raise<ValueError>(
        "Scale: expected a bias_shape, since bias_term is set without W_shape");
  }
  bias.emplace(this, "bias", BiasOptions{.axis = axis_, .shape = shape});
}

Variable Scale::forward(const Variable& x) {
  if (!W.defined()) {
    raise<ValueError>("Scale: expected x and factors, since the link has no W");
  }
  return scaled(x, W);
}

Variable Scale::forward(const Variable& x, const Variable& y) {
  if (W.defined()) {
    raise<ValueError>("Scale: expected only x, since the link has its own W");
  }
  return scaled(x, y);
}

Variable Scale::scaled(const Variable& x, const Variable& factors) {
  const Variable z = functions::scale(x, factors, {.axis = axis_});
  return bias ? (*bias)(z) : z;
}

}  // namespace catena::links
