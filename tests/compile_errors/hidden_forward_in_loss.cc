// first error: forward hides that of a base, which calls of the link run:
// derive from Chain<Own, Base>, or make the base's forward virtual

#include "catena/links/chain.h"
#include "catena/optimizers/loss_function.h"

class MLP : public catena::Chain<MLP> {
 public:
  catena::Variable forward(const catena::Variable& x) { return x; }
};

class Own : public MLP {
 public:
  catena::Variable forward(const catena::Variable& x) { return x; }
};

catena::LossFunction loss_function(Own& model) {
  return catena::loss_function_of(model);
}
