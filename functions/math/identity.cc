#include "catena/functions/math/identity.h"

namespace catena::functions {

Variables Identity::backward(const Indexes& wanted, const Variables& gy) {
  Variables gradients;
  for (const int i : wanted) gradients.push_back(gy[i]);
  return gradients;
}

Variable identity(const Variable& x) { return apply<Identity>({x}); }

Variables identity(std::span<const Variable> xs) {
  return apply_all<Identity>(xs);
}

}  // namespace catena::functions
