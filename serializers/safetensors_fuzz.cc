// Fuzz target: loading any bytes as a .safetensors file either succeeds or
// throws an IoError and changes nothing.

#include "catena/serializers/safetensors.h"
#include "catena/serializers/testing/fuzz_file.h"
#include "catena/tests/fuzzing/mend.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace catena::serializers;
  load_fuzz(data, size,
            [](const std::string& file, FuzzValues& values,
               const LoadOptions& options) {
              load_safetensors(file, values, options);
            });
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  return catena::testing::mutate_and_mend(data, size, max_size, seed,
                                          catena::testing::mend_safetensors);
}
