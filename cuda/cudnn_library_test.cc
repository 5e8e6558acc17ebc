#include "catena/cuda/cudnn_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/tests/support/runfiles.h"

namespace catena::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string problem_of_cudnn(const std::string& file) {
  return internal::load_cudnn(file).problem();
}

TEST(CudnnLibraryTest, KnowsTheNamesOfFunctions) {
  static_assert(function_name<cudnnSetStream>("cudnn") == "cudnnSetStream");
  static_assert(function_name<cudnnBackendSetAttribute>("cudnn") ==
                "cudnnBackendSetAttribute");
}

TEST(CudnnLibraryTest, IsLoadedWhenItIsNeeded) {
  EXPECT_EQ(cudnn_problem(), "");
  EXPECT_EQ(call_cudnn<cudnnGetVersion>() / 10000, size_t{CUDNN_MAJOR});
}

TEST(CudnnLibraryTest, SaysWhatItLookedForAndNeeds) {
  EXPECT_THAT(problem_of_cudnn("libcudnn_of_nobody.so.9"),
              AllOf(HasSubstr("cuDNN: expected the library "
                              "libcudnn_of_nobody.so.9, of version 9.0.0 or "
                              "later"),
                    HasSubstr("No such file")));
}

TEST(CudnnLibraryTest, SaysWhatItFound) {
  EXPECT_THAT(problem_of_cudnn("libm.so.6"),
              HasSubstr("expected libm.so.6 to have the function "
                        "cudnnGetVersion, found none"));
  EXPECT_THAT(
      problem_of_cudnn(testing::runfile("cuda/testing/libold_cudnn.so")),
      HasSubstr("cuDNN: expected version 9.0.0 or later, found 8.9.2 in "));
}

}  // namespace
}  // namespace catena::cuda
