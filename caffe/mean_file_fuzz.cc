// Fuzz target: any bytes as a mean image of Caffe's (.binaryproto) give an
// image of three axes or an IoError. Those of NumPy are for npy_fuzz.

#include <cstdint>

#include "catena/array/core/error.h"
#include "catena/caffe/mean_file.h"
#include "catena/tests/support/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const catena::testing::MemoryFile file;
  try {
    const catena::Array mean = catena::caffe::read_mean_file(
        file.with(data, size),
        {.total_bytes = 1 << 22, .array_bytes = 1 << 20});
    if (mean.ndim() != 3) __builtin_trap();
  } catch (const catena::IoError&) {
  }
  return 0;
}
