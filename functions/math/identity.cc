#include "catena/functions/math/identity.h"

#include "catena/autograd/function_node.h"

namespace catena::functions {
namespace {

class Identity final : public FunctionNode {
 public:
  std::string_view label() const override { return "identity"; }
  Arrays forward(const Arrays& in) override { return in; }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    Variables gradients;
    for (const int i : wanted) gradients.push_back(gy[i]);
    return gradients;
  }
};

}  // namespace

Variable identity(const Variable& x) { return apply<Identity>({x}); }

Variables identity(std::span<const Variable> xs) {
  return apply_all<Identity>(xs);
}

}  // namespace catena::functions
