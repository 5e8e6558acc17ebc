#pragma once

#include "catena/autograd/variable_node.h"

namespace catena::functions {

// The gradient that an input has accumulated so far in the running backward
// pass. A function may add its gradient to it and return none, which saves the
// memory of a separate gradient; for weights that are used many times, as in a
// recurrent network, that is most of a pass's memory traffic. Undefined when
// there is none yet, when the memory is shared, when the pass is recorded, and
// in debug mode, which checks gradients.
Array gradient_sum(VariableNode& input);

}  // namespace catena::functions
