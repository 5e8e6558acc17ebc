#pragma once

#include "catena/links/call_link.h"
#include "catena/links/link.h"

namespace catena::links {

// Leaky ReLU with learned slopes (functions::prelu).
class PReLU : public Callable<PReLU> {
 public:
  // `shape` is the shape of the slopes: () for a single slope, or x's leading
  // axes after the first.
  explicit PReLU(const Shape& shape = {}, const Initializer& init = 0.25);

  // y has x's shape and dtype. Throws InvalidType when the slopes do not match
  // x's shape.
  Variable forward(const Variable& x);

  Param W;  // the slopes
};

}  // namespace catena::links
