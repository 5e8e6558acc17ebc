#pragma once

#include "catena/links/call_link.h"
#include "catena/links/link.h"

namespace catena::links {

// Leaky ReLU with learned slopes, functions::prelu.
class PReLU : public Link {
 public:
  // `shape` is that of the slopes: (), one for all, or that of some axes of x
  // after the first.
  explicit PReLU(const Shape& shape = {}, const Initializer& init = 0.25);

  // y is like x. InvalidType when the slopes do not fit its shape.
  Variable forward(const Variable& x);
  Variable operator()(const Variable& x) { return call_link(*this, x); }

  Param W;  // the slopes
};

}  // namespace catena::links
