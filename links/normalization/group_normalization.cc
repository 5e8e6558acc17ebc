#include "catena/links/normalization/group_normalization.h"

#include "catena/array/core/error.h"
#include "catena/functions/normalization/group_normalization.h"

namespace catena::links {
namespace {

std::optional<Shape> shape_of(int64_t groups, std::optional<int64_t> size) {
  if (groups < 1 || size.value_or(1) < 1) {
    raise<ValueError>(
        "GroupNormalization: expected positive sizes, got groups ", groups,
        " and size ", size ? str(*size) : "none");
  }
  return size ? std::optional(Shape{*size}) : std::nullopt;
}

}  // namespace

GroupNormalization::GroupNormalization(int64_t groups,
                                       std::optional<int64_t> size,
                                       const GroupNormalizationOptions& options)
    : groups(groups),
      eps(options.eps),
      gamma(this, "gamma", options.initial_gamma, shape_of(groups, size)),
      beta(this, "beta", options.initial_beta, shape_of(groups, size)) {}

Variable GroupNormalization::forward(const Variable& x) {
  if (!gamma.is_initialized() && x.ndim() > 1) {
    gamma.initialize({x.shape()[1]});
    beta.initialize({x.shape()[1]});
  }
  return functions::group_normalization(x, groups, gamma, beta, {.eps = eps});
}

}  // namespace catena::links
