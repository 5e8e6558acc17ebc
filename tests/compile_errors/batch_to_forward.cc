// first error: forward takes other arguments: pass variables, of a minibatch
// its fields, `model(batch[0], batch[1])` or `model(x, t)`

#include "catena/dataset/batch.h"
#include "catena/links/chain.h"

class MLP : public catena::Chain<MLP> {
 public:
  catena::Variable forward(const catena::Variable& x) { return x; }
};

catena::Variable call(MLP& model, const catena::dataset::Batch& batch) {
  return model(batch);
}
