#pragma once

#include <memory>

#include "catena/array/array.h"
#include "catena/autograd/variable.h"
#include "catena/autograd/variable_node.h"

namespace catena {

// A gradient term that is cheaper to compute together with others of its kind.
// A function's backward may store it here and return no gradient; the pass adds
// it before the gradient becomes visible.
class DeferredGradient {
 public:
  virtual ~DeferredGradient() = default;
  // Adds this term to the sum of the gradient's other terms. Called once.
  virtual void add_to(const Array& sum) = 0;
};

// The slot for a node's deferred term in the backward pass running on this
// thread, initially empty. Only for a node that already has a pending gradient,
// in a pass that is not recorded. Null when no pass is running.
std::unique_ptr<DeferredGradient>* deferred_gradient(VariableNode& node);

// Adds all terms that the backward pass on this thread keeps separately to the
// node's pending gradient, making it the sum of everything computed so far.
// Does nothing when no pass is running.
void complete_pending(VariableNode& node);

// Whether nothing else shares a gradient's memory, so that it may be changed in
// place.
bool is_exclusive(const Variable& gradient);

}  // namespace catena
