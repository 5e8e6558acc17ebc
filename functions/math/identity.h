#pragma once

#include <span>

#include "catena/autograd/function_node.h"
#include "catena/functions/kinds.h"

namespace catena::functions {

// x as a new variable with the same array. Any dtype.
Variable identity(const Variable& x);
// identity() of several variables.
Variables identity(std::span<const Variable> xs);

// The FunctionNode behind identity(), public as an example: applied once, by
// apply<Identity>({x}) or the apply() of a new node.
class Identity final : public FunctionNode {
 public:
  std::string_view label() const override { return "identity"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Identity>();
  }
  Arrays forward(const Arrays& in) override { return in; }
  Variables backward(const Indexes& wanted, const Variables& gy) override;
};

}  // namespace catena::functions
