// Fuzz target: loading any bytes as a .h5 file either succeeds or throws an
// IoError and changes nothing.

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "catena/serializers/hdf5.h"
#include "catena/serializers/hdf5_reader.h"
#include "catena/serializers/testing/fuzz_file.h"
#include "catena/serializers/testing/hdf5_mend.h"
#include "catena/serializers/testing/hdf5_words.h"
#include "catena/tests/fuzzing/mend.h"

namespace catena::serializers {
namespace {

void read_all(const std::string& path, const std::set<std::string>& words) {
  try {
    const Hdf5Reader reader(path, kFuzzLimits);
    for (const std::string& key : words) {
      try {
        reader.read(key);
      } catch (const IoError&) {
      }
    }
  } catch (const IoError&) {
  }
}

// The structures of a file; inputs are changed many times.
const Hdf5Structures& structures_of(std::string_view file) {
  constexpr size_t kKept = 1024;
  static auto& known = *new std::unordered_map<std::string, Hdf5Structures>;
  if (known.size() >= kKept) known.clear();
  const auto bytes =
      std::span(reinterpret_cast<const uint8_t*>(file.data()), file.size());
  return known.try_emplace(std::string(file), bytes).first->second;
}

}  // namespace
}  // namespace catena::serializers

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace catena::serializers;
  load_fuzz(
      data, size,
      [](const std::string& file, FuzzValues& values,
         const LoadOptions& options) { load_hdf5(file, values, options); });
  constexpr size_t kMaxWords = 32;
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  read_all(fuzz_file(data, size), words_of(file, kMaxWords));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  using namespace catena::serializers;
  const Hdf5Structures& structures =
      structures_of({reinterpret_cast<const char*>(data), size});
  return catena::testing::mutate_and_mend(
      data, size, max_size, seed,
      [&](std::span<uint8_t> file) { structures.mend(file); });
}
