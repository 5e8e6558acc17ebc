// Fuzz target: reading any bytes as an IDX file returns an array or throws an
// IoError.

#include "catena/array/core/error.h"
#include "catena/dataset/idx.h"
#include "catena/tests/fuzzing/mend.h"
#include "catena/tests/support/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const catena::testing::MemoryFile file;
  try {
    catena::dataset::read_idx(file.with(data, size), {.array_bytes = 1 << 20});
  } catch (const catena::IoError&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  return catena::testing::mutate_and_mend(data, size, max_size, seed,
                                          catena::testing::mend_gzip);
}
