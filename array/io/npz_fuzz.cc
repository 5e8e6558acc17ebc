// Fuzz target: reading any bytes as a .npz file gives values or an IoError.

#include <cstdint>
#include <span>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/io/npz.h"
#include "catena/tests/fuzzing/mend.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr catena::LoadLimits kLimits = {
      .members = 100, .total_bytes = 1 << 22, .array_bytes = 1 << 20};
  const std::span<const char> bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto reader = catena::array::NpzReader::from_bytes(bytes, kLimits);
    for (const std::string& key : reader.keys()) reader.read(key);
  } catch (const catena::IoError&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  return catena::testing::mutate_and_mend(data, size, max_size, seed,
                                          catena::testing::mend_zip);
}
