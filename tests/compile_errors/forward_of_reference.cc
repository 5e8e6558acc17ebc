// first error: forward takes a reference that it could change: write `const
// Variable&` instead of `Variable&`

#include "catena/links/chain.h"

class MLP : public catena::Chain<MLP> {
 public:
  catena::Variable forward(catena::Variable& x) { return x; }
};

catena::Variable call(MLP& model, const catena::Variable& x) {
  return model(x);
}
