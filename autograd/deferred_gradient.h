#pragma once

#include <memory>

#include "catena/array/array.h"
#include "catena/autograd/variable.h"
#include "catena/autograd/variable_node.h"

namespace catena {

// A part of a gradient that costs less together with others like it than by
// itself: a function's backward may leave it here and return no gradient. The
// pass asks for it before anybody sees the gradient.
class DeferredGradient {
 public:
  virtual ~DeferredGradient() = default;
  // Adds it to the sum of what else the gradient consists of. Called once.
  virtual void add_to(const Array& sum) = 0;
};

// What waits for a node's gradient in the backward pass that runs on this
// thread, null at first. Only for a node that has a pending gradient already,
// in a pass that is not recorded. A null pointer where no pass runs.
std::unique_ptr<DeferredGradient>* deferred_gradient(VariableNode& node);

// Adds to the node's pending gradient all that the backward pass on this thread
// keeps apart from it, so that it is the sum of what has been computed. Does
// nothing where no pass runs.
void complete_pending(VariableNode& node);

// Whether nobody else can see the memory of a gradient, so that it may change.
bool is_exclusive(const Variable& gradient);

}  // namespace catena
