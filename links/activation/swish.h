#pragma once

#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/link.h"

namespace catena::links {

// x sigmoid(beta x) with a learned beta, functions::swish.
class Swish : public Link {
 public:
  // The shape of beta: (), one for all, or that of some axes of x after the
  // first. When left out, that of all of them, found at the first call.
  explicit Swish(const std::optional<Shape>& beta_shape,
                 const Initializer& beta_init = 1.0);

  // y is like x. InvalidType when beta does not fit its shape.
  Variable forward(const Variable& x);
  Variable operator()(const Variable& x) { return call_link(*this, x); }

  Param beta;
};

}  // namespace catena::links
