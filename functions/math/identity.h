#pragma once

#include <span>

#include "catena/autograd/function_node.h"

namespace catena::functions {

// The input itself, as the output of a function: a new variable with the same
// array. Any dtype.
Variable identity(const Variable& x);
// The same for several at once.
Variables identity(std::span<const Variable> xs);

// The function behind it, as an example of one: applied once, by
// apply<Identity>({x}) or by the apply of a new node.
class Identity final : public FunctionNode {
 public:
  std::string_view label() const override { return "identity"; }
  Arrays forward(const Arrays& in) override { return in; }
  Variables backward(const Indexes& wanted, const Variables& gy) override;
};

}  // namespace catena::functions
