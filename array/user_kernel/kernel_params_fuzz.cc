// Fuzz target: parsing any text as kernel parameters gives a list or a
// ValueError, and the list survives a round trip.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/user_kernel/kernel_params.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using catena::array::parse_kernel_params;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto params = parse_kernel_params(text, "fuzz", "in_params");
    const std::string written = catena::array::to_string(params);
    if (parse_kernel_params(written, "fuzz", "in_params") != params) {
      std::abort();
    }
  } catch (const catena::ValueError&) {
  }
  return 0;
}
