// Runs the program in the README.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::Program;
using ::catena::testing::TempFolder;
using ::testing::StartsWith;

TEST(ReadmeTest, TheFirstProgramLearnsDigits) {
  const TempFolder folder;
  const Program program("docs/first_program", {}, folder);
  ASSERT_EQ(program.wait(), 0) << program.err();
  const std::string said = "accuracy ";
  ASSERT_THAT(program.out(), StartsWith(said));
  EXPECT_GT(std::stod(program.out().substr(said.size())), 0.9);
}

}  // namespace
