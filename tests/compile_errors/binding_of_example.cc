// first error: an Example has as many fields as its data set: write `const auto
// batch = concat_examples(...);`, then `batch[0]` and `batch[1]`

#include "catena/dataset/convert.h"

void train(const catena::dataset::Batch& batch) {
  auto [x, t] = catena::dataset::concat_examples(batch);
}
