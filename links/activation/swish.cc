#include "catena/links/activation/swish.h"

#include "catena/functions/activation/swish.h"

namespace catena::links {

Swish::Swish(const std::optional<Shape>& beta_shape,
             const Initializer& beta_init)
    : beta(this, "beta", beta_init, beta_shape) {}

Variable Swish::forward(const Variable& x) {
  if (!beta.is_initialized()) {
    Shape shape;
    for (int d = 1; d < x.ndim(); ++d) shape.push_back(x.shape()[d]);
    beta.initialize(shape);
  }
  return functions::swish(x, beta);
}

}  // namespace catena::links
