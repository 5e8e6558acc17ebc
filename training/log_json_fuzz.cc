// Fuzz target: any bytes as the JSON of a log, of names or of curves give its
// contents or an IoError, and what was read is written and read again the same.

#include <cstdint>
#include <string>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/training/log_json.h"

namespace {

template <class Read, class Write>
void check(std::string_view text, Read read, Write write) {
  std::string written;
  try {
    written = write(read(text));
  } catch (const catena::IoError&) {
    return;
  }
  // Now in the form in which it is always written.
  if (write(read(written)) != written) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace catena::training;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, log_from_json,
        [](const auto& log) { return log_to_json(log, 4); });
  check(text, names_from_json, names_to_json);
  check(text, curves_from_json, curves_to_json);
  return 0;
}
