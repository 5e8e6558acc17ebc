#include "catena/dataset/index_check.h"

#include "catena/array/core/error.h"

namespace catena::dataset {

void check_index(std::string_view who, int64_t i, int64_t size) {
  if (i < 0 || i >= size) {
    raise<IndexError>(who, ": expected an index from 0 to ", size - 1, ", got ",
                      i);
  }
}

}  // namespace catena::dataset
