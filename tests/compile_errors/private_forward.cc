// first error: the forward of this link is not public: move it below `public:`

#include "catena/links/chain.h"

class MLP : public catena::Chain<MLP> {
  catena::Variable forward(const catena::Variable& x) { return x; }
};

catena::Variable call(MLP& model, const catena::Variable& x) {
  return model(x);
}
