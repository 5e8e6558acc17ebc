#pragma once

#include "catena/autograd/variable_node.h"

namespace catena::functions {

// What an input has got from other functions in the backward pass that runs:
// a function may add its gradient there and return none, which spares the
// memory that the gradient would take by itself. For weights that are used
// again and again, as in a recurrent network, that is most of what a pass
// moves. Undefined when there is nothing yet, when somebody else could see the
// memory, when the pass is recorded and in debug mode, which looks at
// gradients.
Array gradient_sum(VariableNode& input);

}  // namespace catena::functions
