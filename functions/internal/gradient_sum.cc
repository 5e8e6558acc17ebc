#include "catena/functions/internal/gradient_sum.h"

#include "catena/autograd/config.h"
#include "catena/autograd/deferred_gradient.h"

namespace catena::functions {

Array gradient_sum(VariableNode& input) {
  const Variable& sum = input.pending();
  if (!sum.defined() || !is_exclusive(sum)) return {};
  if (config().enable_backprop || config().debug) return {};
  return sum.data();
}

}  // namespace catena::functions
