// The defaults that configuration.md lists for environment variables are those
// of the code. tools/check_configuration compares the settings of config().

#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <regex>
#include <string>

#include "catena/array/linalg/float32_precision.h"
#include "catena/array/user_kernel/kernel_cache.h"
#include "catena/dataset/dataset_root.h"
#include "catena/functions/connection/winograd.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {
namespace {

using Defaults = std::map<std::string, std::string>;

TEST(ConfigurationTest, DefaultsOfVariablesAreThoseOfTheCode) {
  for (const char* name :
       {"CATENA_DATASET_ROOT", "CHAINER_DATASET_ROOT", "CATENA_CACHE_DIR",
        "CUPY_CACHE_DIR", "XDG_CACHE_HOME", "CATENA_FLOAT32",
        "CATENA_WINOGRAD"}) {
    ::unsetenv(name);
  }
  ::setenv("HOME", "~", 1);
  const bool is_exact =
      array::get_float32_precision() == array::Float32Precision::kExact;
  const Defaults expected = {
      {"CATENA_DATASET_ROOT", dataset::get_dataset_root()},
      {"CATENA_CACHE_DIR", array::KernelCache::user().folder()},
      {"CATENA_FLOAT32", is_exact ? "exact" : "tf32"},
      {"CATENA_WINOGRAD", functions::is_winograd_enabled() ? "1" : "0"}};

  const std::string page = read_file(runfile("docs/guide/configuration.md"));
  const std::regex row(
      R"(\n\| `([A-Z0-9_]+)` \|[^|]*\| `([^`]+)` \| (?!see above))");
  Defaults shown;
  for (std::sregex_iterator it(page.begin(), page.end(), row), end; it != end;
       ++it) {
    shown[(*it)[1]] = (*it)[2];
  }
  EXPECT_EQ(shown, expected);
}

}  // namespace
}  // namespace catena::testing
