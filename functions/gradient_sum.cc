#include "catena/functions/gradient_sum.h"

#include "catena/autograd/config.h"
#include "catena/autograd/later_term.h"

namespace catena::functions {

Array gradient_sum(VariableNode& input) {
  const Variable& sum = input.pending();
  if (!sum.defined() || !is_exclusive(sum)) return {};
  if (config().enable_backprop || config().debug) return {};
  return sum.data();
}

}  // namespace catena::functions
