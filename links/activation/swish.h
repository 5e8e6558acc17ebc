#pragma once

#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/link.h"

namespace catena::links {

// x sigmoid(beta x) with a learned beta (functions::swish).
class Swish : public Callable<Swish> {
 public:
  // beta_shape is () for a single beta, or x's leading axes after the first; by
  // default all axes after the first, taken from x at the first call.
  explicit Swish(const std::optional<Shape>& beta_shape,
                 const Initializer& beta_init = 1.0);

  // y has x's shape and dtype. Throws InvalidType when beta does not match x's
  // shape.
  Variable forward(const Variable& x);

  Param beta;
};

}  // namespace catena::links
