// first error: setup: the optimizer is a temporary, which ends with this line:
// write `auto optimizer = setup(SGD(), model);`

#include "catena/links/connection/linear.h"
#include "catena/optimizers/sgd.h"

void train(catena::links::Linear& model) {
  auto& optimizer = catena::optimizers::SGD().setup(model);
  optimizer.update();
}
