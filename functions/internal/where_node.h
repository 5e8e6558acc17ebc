#pragma once

#include <string_view>
#include <utility>

#include "catena/array/core/scalar.h"
#include "catena/autograd/function_node.h"

// The node of where, which functors of gradients need, too.
namespace catena::functions {

// The inputs are the values; one may be a number instead.
class Where final : public FunctionNode {
 public:
  enum class Values { kBoth, kFirst, kSecond };

  Where(Array condition, Values values, Scalar number = 0)
      : condition_(std::move(condition)), values_(values), number_(number) {}

  std::string_view label() const override { return "where"; }
  FunctionDescription description() const override;
  void check_type_forward(TypeCheck& in) const override;
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  Array condition_;
  Values values_;
  Scalar number_;
};

}  // namespace catena::functions
