// Fuzz target: any bytes as a tar archive, compressed or not, give its members
// to the last byte or an IoError.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/dataset/tar_reader.h"
#include "catena/tests/fuzzing/mend.h"
#include "catena/tests/support/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const catena::testing::MemoryFile file;
  std::vector<char> bytes(4096);
  try {
    catena::dataset::TarReader reader(file.with(data, size), "fuzz",
                                      {.total_bytes = 1 << 22});
    while (const auto member = reader.next()) {
      for (int64_t left = member->bytes; left > 0;) {
        const int64_t count = std::min<int64_t>(left, 4096);
        reader.read(std::span(bytes).first(static_cast<size_t>(count)));
        left -= count;
      }
    }
  } catch (const catena::IoError&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  return catena::testing::mutate_and_mend(data, size, max_size, seed,
                                          catena::testing::mend_tar);
}
