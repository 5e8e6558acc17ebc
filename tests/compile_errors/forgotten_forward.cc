// first error: this link has no forward: write `Variable forward(const
// Variable& x) { ... }` in its public part

#include "catena/links/chain.h"

class MLP : public catena::Chain<MLP> {};

catena::Variable call(MLP& model, const catena::Variable& x) {
  return model(x);
}
