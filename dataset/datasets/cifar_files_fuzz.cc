// Fuzz target: reading any bytes as a CIFAR archive returns images or throws an
// IoError.

#include <cstdint>

#include "catena/array/core/error.h"
#include "catena/dataset/datasets/cifar_files.h"
#include "catena/tests/fuzzing/mend.h"
#include "catena/tests/support/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const catena::testing::MemoryFile file;
  static const catena::datasets::CifarFormat format = {.operation = "fuzz",
                                                       .label_bytes = 1,
                                                       .classes = 10,
                                                       .train = {"a.bin"},
                                                       .test = "b.bin"};
  try {
    catena::datasets::read_cifar_archive(
        file.with(data, size), format,
        {.total_bytes = 1 << 22, .array_bytes = 1 << 20});
  } catch (const catena::IoError&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  return catena::testing::mutate_and_mend(data, size, max_size, seed,
                                          catena::testing::mend_tar);
}
