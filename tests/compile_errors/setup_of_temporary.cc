// first error: setup: the link is a temporary, which ends with this line: give
// it a name, `MLP model(...); optimizer.setup(model);`

#include "catena/links/connection/linear.h"
#include "catena/optimizers/sgd.h"

void train() {
  catena::optimizers::SGD optimizer;
  optimizer.setup(catena::links::Linear(3));
}
