#pragma once

#include <initializer_list>
#include <span>

#include "catena/autograd/variable.h"

namespace catena::functions {

// The variables as read-only views of the shape that they broadcast to
// together. Any dtypes; gradients are summed over what was repeated.
// InvalidType when there is none or there is no such shape.
Variables broadcast(std::span<const Variable> args);
inline Variables broadcast(std::initializer_list<Variable> args) {
  return broadcast(std::span(args.begin(), args.size()));
}

}  // namespace catena::functions
