#pragma once

#include "catena/links/call_link.h"
#include "catena/links/link.h"

namespace catena::links {

// A link with a single parameter, which calling it returns. Chainer's
// links.Parameter.
class ParameterLink : public Callable<ParameterLink> {
 public:
  // W is a copy of the array.
  explicit ParameterLink(const Array& array);

  Variable forward() { return W; }

  Param W;
};

}  // namespace catena::links
