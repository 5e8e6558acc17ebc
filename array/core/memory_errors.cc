#include "catena/array/core/memory_errors.h"

#include "catena/array/core/error.h"

namespace catena {

void raise_out_of_memory(std::string_view operation) {
  raise<OutOfMemoryError>(operation, ": the system has no more memory");
}

}  // namespace catena
