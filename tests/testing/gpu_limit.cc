#include "catena/tests/testing/gpu_limit.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "catena/array/core/error.h"

namespace catena::testing {

int gpus_for_tests(int found) {
  const char* wish = std::getenv("CHAINER_TEST_GPU_LIMIT");
  if (wish == nullptr || *wish == '\0') return found;
  const std::string_view text = wish;
  const char* const end = text.data() + text.size();
  int limit = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, limit);
  if (error != std::errc() || rest != end) {
    raise<ValueError>(
        "expected the environment variable CHAINER_TEST_GPU_LIMIT to be a "
        "number of GPUs, got '",
        text, "'");
  }
  return limit < 0 ? found : std::min(found, limit);
}

}  // namespace catena::testing
