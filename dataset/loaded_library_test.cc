#include "catena/dataset/loaded_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"

namespace catena::dataset {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr char kMath[] = "libm.so.6";

TEST(LoadedLibraryTest, FindsFunctions) {
  const LoadedLibrary library("libm", kMath);
  double (*floor)(double) = nullptr;
  library.find("floor", floor);
  EXPECT_EQ(floor(2.5), 2);
}

TEST(LoadedLibraryTest, NamesTheLibraryThatIsMissing) {
  EXPECT_THAT([] { LoadedLibrary("Any", "libof_no_name.so.1"); },
              ThrowsMessage<IoError>(AllOf(HasSubstr("Any cannot be loaded: "),
                                           HasSubstr("libof_no_name.so.1"))));
}

TEST(LoadedLibraryTest, NamesTheFunctionThatIsMissing) {
  const LoadedLibrary library("libm", kMath);
  void (*function)() = nullptr;
  EXPECT_THAT([&] { library.find("of_no_name", function); },
              ThrowsMessage<IoError>(AllOf(HasSubstr("libm cannot be loaded: "),
                                           HasSubstr("of_no_name"))));
}

}  // namespace
}  // namespace catena::dataset
