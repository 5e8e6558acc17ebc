#pragma once

#include "catena/links/call_link.h"
#include "catena/links/link.h"

namespace catena::links {

// A link with a single parameter, which calling it returns. Chainer's
// links.Parameter.
class ParameterLink : public Link {
 public:
  // W is a copy of the array.
  explicit ParameterLink(const Array& array);

  Variable forward() { return W; }
  Variable operator()() { return call_link(*this); }

  Param W;
};

}  // namespace catena::links
