#include "catena/links/normalization/layer_normalization.h"

#include "catena/array/core/error.h"
#include "catena/functions/normalization/layer_normalization.h"

namespace catena::links {
namespace {

std::optional<Shape> shape_of(std::optional<int64_t> size) {
  if (size.value_or(1) < 1) {
    raise<ValueError>("LayerNormalization: expected a positive size, got ",
                      *size);
  }
  return size ? std::optional(Shape{*size}) : std::nullopt;
}

}  // namespace

LayerNormalization::LayerNormalization(std::optional<int64_t> size,
                                       const LayerNormalizationOptions& options)
    : eps(options.eps),
      gamma(this, "gamma", options.initial_gamma, shape_of(size)),
      beta(this, "beta", options.initial_beta, shape_of(size)) {}

Variable LayerNormalization::forward(const Variable& x) {
  if (!gamma.is_initialized() && x.ndim() > 1) {
    gamma.initialize({x.shape()[1]});
    beta.initialize({x.shape()[1]});
  }
  return functions::layer_normalization(x, gamma, beta, {.eps = eps});
}

}  // namespace catena::links
