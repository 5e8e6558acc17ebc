// Fuzz target: loading any bytes as a .h5 file either succeeds or throws an
// IoError and changes nothing.

#include "catena/serializers/hdf5.h"
#include "catena/serializers/testing/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace catena::serializers;
  load_fuzz(
      data, size,
      [](const std::string& file, FuzzValues& values,
         const LoadOptions& options) { load_hdf5(file, values, options); });
  return 0;
}
