#include "catena/examples/support/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "catena/array/error.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class FlagsTest : public ::testing::Test {
 protected:
  void parse(std::vector<std::string> arguments) {
    Flags flags("Does something.");
    flags.add("out", &out, "folder for the results");
    flags.add("epoch", &epoch, 1, "sweeps");
    flags.add("shift", &shift, -5, "of images");
    flags.add("resume", &resume, "latest", "continues");
    arguments.insert(arguments.begin(), "program");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    flags.parse(static_cast<int>(argv.size()), argv.data());
  }

  std::string out = "result";
  int64_t epoch = 20;
  int64_t shift = 0;
  std::string resume;
};

TEST_F(FlagsTest, DefaultsStay) {
  parse({});
  EXPECT_EQ(out, "result");
  EXPECT_EQ(epoch, 20);
  EXPECT_EQ(resume, "");
}

TEST_F(FlagsTest, TakesValuesInBothForms) {
  parse({"--out=a=b", "--epoch", "3", "--shift", "-5", "--resume=file"});
  EXPECT_EQ(out, "a=b");
  EXPECT_EQ(epoch, 3);
  EXPECT_EQ(shift, -5);
  EXPECT_EQ(resume, "file");
}

TEST_F(FlagsTest, SomeFlagsMayStandAlone) {
  parse({"--resume", "--epoch=5"});
  EXPECT_EQ(resume, "latest");
  parse({"--resume"});
  EXPECT_EQ(resume, "latest");
}

TEST_F(FlagsTest, RejectsWhatItDoesNotKnow) {
  const auto expect_error = [this](const std::vector<std::string>& arguments,
                                   const char* message) {
    EXPECT_THAT([&] { parse(arguments); },
                ThrowsMessage<ValueError>(HasSubstr(message)));
  };
  expect_error({"--oot=x"}, "there is no flag --oot");
  expect_error({"out"}, "expected flags like --name=value, got 'out'");
  expect_error({"--out"}, "--out lacks its value");
  expect_error({"--epoch=1.5"},
               "--epoch: expected an integer of at least 1, got '1.5'");
  expect_error({"--epoch="},
               "--epoch: expected an integer of at least 1, got ''");
  expect_error({"--epoch=0"},
               "--epoch: expected an integer of at least 1, got");
  expect_error({"--shift=-6"}, "of at least -5, got '-6'");
  expect_error({"--epoch=99999999999999999999"}, "--epoch: expected");
}

TEST_F(FlagsTest, HelpListsTheFlagsAndEnds) {
  EXPECT_EXIT(
      {
        ::testing::internal::CaptureStdout();
        try {
          parse({"--epoch=x", "--help"});
        } catch (const ValueError&) {
          parse({"--help"});
        }
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(RunExampleTest, MakesOneLineOfWhatIsThrown) {
  ::testing::internal::CaptureStderr();
  const int code = run_example([] { throw Error("none of:\n  a\n  b"); });
  EXPECT_EQ(code, 1);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "error: none of: a b\n");
  EXPECT_EQ(run_example([] {}), 0);
}

TEST(RunExampleTest, RunsWhereTheUserIs) {
  const catena::testing::TempFolder folder;
  ASSERT_EQ(setenv("BUILD_WORKING_DIRECTORY", folder.path().c_str(), 1), 0);
  std::filesystem::path current;
  EXPECT_EQ(run_example([&] { current = std::filesystem::current_path(); }), 0);
  EXPECT_TRUE(std::filesystem::equivalent(current, folder.path()));
  ASSERT_EQ(unsetenv("BUILD_WORKING_DIRECTORY"), 0);
}

}  // namespace
}  // namespace catena::examples
