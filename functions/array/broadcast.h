#pragma once

#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The variables broadcast against each other to one shape, as read-only views.
// Any dtypes; gradients are summed over repeated elements. Throws InvalidType
// when there are no variables or the shapes do not broadcast.
Variables broadcast(std::span<const Variable> args);
inline Variables broadcast(std::initializer_list<Variable> args) {
  return broadcast(std::span(args.begin(), args.size()));
}

}  // namespace catena::functions
