#include "catena/links/connection/bias.h"

#include "catena/array/core/error.h"
#include "catena/functions/math/bias.h"

namespace catena::links {

Bias::Bias(const BiasOptions& options)
    : b(options.shape ? Param(this, "b", 0.0, options.shape) : Param()),
      axis_(options.axis) {}

Variable Bias::forward(const Variable& x) {
  if (!b.defined()) {
    raise<ValueError>(
        "Bias: expected x and a bias, since the link has no bias");
  }
  return functions::bias(x, b, {.axis = axis_});
}

Variable Bias::forward(const Variable& x, const Variable& y) {
  if (b.defined()) {
    raise<ValueError>("Bias: expected only x, since the link has its own bias");
  }
  return functions::bias(x, y, {.axis = axis_});
}

}  // namespace catena::links
