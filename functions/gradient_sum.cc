#include "catena/functions/gradient_sum.h"

#include "catena/autograd/config.h"

namespace catena::functions {

Array gradient_sum(VariableNode& input) {
  const Variable& sum = input.pending();
  if (!sum.defined() || !sum.node()->is_sole_handle()) return {};
  const Array& data = sum.data();
  const bool is_own =
      data.use_count() == 1 && data.storage()->owned() && data.is_contiguous();
  if (!is_own || config().enable_backprop || config().debug) return {};
  return data;
}

}  // namespace catena::functions
