// first error: forward hides that of a base, which calls of the link run:
// derive from Chain<Own, Base>, or make the base's forward virtual

#include "catena/links/model/classifier.h"
#include "catena/optimizers/sgd.h"

class MLP : public catena::Chain<MLP> {
 public:
  catena::Variable forward(const catena::Variable& x) { return x; }
};

class Own : public catena::links::Classifier<MLP> {
 public:
  catena::Variable forward(const catena::Variable& x,
                           const catena::Variable& t) {
    return x;
  }
};

void train(Own& model) {
  catena::optimizers::SGD optimizer;
  optimizer.setup(model);
}
