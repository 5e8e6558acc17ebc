// Fuzz target: reading any bytes as an image file returns pixels or throws an
// IoError.

#include <cstdint>
#include <span>

#include "catena/array/core/error.h"
#include "catena/dataset/image_file.h"
#include "catena/tests/fuzzing/mend.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using catena::dataset::ImageColor;
  const std::span<const char> bytes(reinterpret_cast<const char*>(data), size);
  for (const ImageColor color : {ImageColor::kAsInFile, ImageColor::kRgb}) {
    try {
      catena::dataset::decode_image(
          bytes, "fuzz", {.color = color, .limits = {.array_bytes = 1 << 20}});
    } catch (const catena::IoError&) {
    }
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  return catena::testing::mutate_and_mend(data, size, max_size, seed,
                                          catena::testing::mend_png);
}
