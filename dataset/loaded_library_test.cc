#include "catena/dataset/loaded_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena::dataset {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kMath[] = "libm.so.6";

TEST(LoadedLibraryTest, FindsFunctions) {
  const LoadedLibrary library("libm", kMath);
  double (*floor)(double) = nullptr;
  library.find("floor", floor);
  EXPECT_EQ(floor(2.5), 2);
}

TEST(LoadedLibraryTest, NamesTheLibraryThatIsMissing) {
  EXPECT_THAT(
      error_of<IoError>([] { LoadedLibrary("Any", "libof_no_name.so.1"); }),
      AllOf(HasSubstr("Any cannot be loaded: "),
            HasSubstr("libof_no_name.so.1")));
}

TEST(LoadedLibraryTest, NamesTheFunctionThatIsMissing) {
  const LoadedLibrary library("libm", kMath);
  void (*function)() = nullptr;
  EXPECT_THAT(
      error_of<IoError>([&] { library.find("of_no_name", function); }),
      AllOf(HasSubstr("libm cannot be loaded: "), HasSubstr("of_no_name")));
}

}  // namespace
}  // namespace catena::dataset
