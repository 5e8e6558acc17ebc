#include "catena/array/kernels/runtime_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "catena/array/core/parallel.h"
#include "catena/array/core/version.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/tests/support/runfiles.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(RuntimeInfoTest, NamesVersionsKernelsAndLibraries) {
  const std::string text = runtime_info();
  EXPECT_THAT(text, StartsWith("catena    " + std::string(kVersion) + ", "));
  EXPECT_THAT(text, HasSubstr("\nprocessor "));
  EXPECT_THAT(text,
              HasSubstr(std::string(kernel_target_name(cpu_kernel_target())) +
                        " kernels in use"));
  EXPECT_THAT(text, HasSubstr("\nBLAS      OpenBLAS "));
  EXPECT_THAT(text, HasSubstr("\noneDNN    "));
  EXPECT_THAT(text, HasSubstr("\nGPUs      "));
}

TEST(RuntimeInfoTest, FollowsTheSettings) {
  const int before = get_num_threads();
  set_num_threads(3);
  EXPECT_THAT(runtime_info(), HasSubstr("\nthreads   3 of "));
  set_num_threads(before);
}

// One thread pool for all: a BLAS or oneDNN with threads of its own would bring
// a second.
TEST(RuntimeInfoTest, BlasAndOneDnnRunOnOpenMp) {
  EXPECT_THAT(runtime_info(), HasSubstr("USE_OPENMP"));
  EXPECT_THAT(runtime_info(), HasSubstr(", OpenMP\n"));
}

TEST(RuntimeInfoTest, PrintsTheSameText) {
  std::ostringstream os;
  print_runtime_info(os);
  EXPECT_EQ(os.str(), runtime_info());
}

TEST(VersionTest, IsThatOfTheModule) {
  std::ifstream file(catena::testing::runfile("MODULE.bazel"));
  const std::string module((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
  EXPECT_THAT(module,
              HasSubstr("    version = \"" + std::string(kVersion) + "\","));
}

}  // namespace
}  // namespace catena
