#include "catena/dataset/iterator.h"

#include "catena/array/core/error.h"

namespace catena::dataset {

void NextBatch::throw_end() {
  raise<ValueError>(
      "next: expected another minibatch, but the iterator has ended; use "
      "repeat = true, call reset(), or check the result before reading it");
}

}  // namespace catena::dataset
