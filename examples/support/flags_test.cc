#include "catena/examples/support/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "catena/array/core/error.h"
#include "catena/tests/testing/temp_folder.h"

ABSL_FLAG(std::string, folder_flag, "result", "folder for the results");
ABSL_FLAG(catena::examples::AtLeast<1>, epoch_flag, {20}, "sweeps");
ABSL_FLAG(catena::examples::AtLeast<-5>, shift_flag, {0}, "of images");

namespace catena::examples {
namespace {

using absl::GetFlag;

class RunExampleTest : public ::testing::Test {
 protected:
  // The exit code of an example that is called so.
  int run(std::vector<std::string> arguments,
          const std::function<void()>& example) {
    arguments.insert(arguments.begin(), "program");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    return run_example(static_cast<int>(argv.size()), argv.data(),
                       "Does something.", example);
  }
  // The arguments that an example gets besides its flags.
  std::vector<std::string> arguments_of(std::vector<std::string> arguments) {
    std::vector<std::string> rest;
    arguments.insert(arguments.begin(), "program");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    EXPECT_EQ(run_example(
                  static_cast<int>(argv.size()), argv.data(), "Does something.",
                  [&](const std::vector<std::string>& got) { rest = got; }),
              0);
    return rest;
  }
  // What it says when it ends with an error, which is exit code 1.
  void expect_error(const std::vector<std::string>& arguments,
                    const std::string& message) {
    EXPECT_EXIT(std::exit(run(arguments, [] {})), ::testing::ExitedWithCode(1),
                message);
  }

 private:
  absl::FlagSaver saver_;
};

TEST_F(RunExampleTest, DefaultsStay) {
  EXPECT_EQ(run({}, [] {}), 0);
  EXPECT_EQ(GetFlag(FLAGS_folder_flag), "result");
  EXPECT_EQ(GetFlag(FLAGS_epoch_flag), 20);
}

TEST_F(RunExampleTest, TakesValuesInBothForms) {
  EXPECT_EQ(
      run({"--folder_flag=a=b", "--epoch_flag", "3", "--shift_flag=-5"}, [] {}),
      0);
  EXPECT_EQ(GetFlag(FLAGS_folder_flag), "a=b");
  EXPECT_EQ(GetFlag(FLAGS_epoch_flag), 3);
  EXPECT_EQ(GetFlag(FLAGS_shift_flag), -5);
}

TEST_F(RunExampleTest, RejectsWhatItDoesNotKnow) {
  expect_error({"--oot=x"}, "[Uu]nknown command line flag 'oot'");
  expect_error({"out"}, "expected flags like --name=value, got 'out'");
  expect_error({"--folder_flag"}, "Missing the value for the flag");
  for (const std::string value :
       {"1.5", "", "0", "-1", "99999999999999999999"}) {
    expect_error(
        {"--epoch_flag=" + value},
        "'" + value + "'.*'epoch_flag'.*expected an integer of at least 1");
  }
  expect_error({"--shift_flag=-6"}, "expected an integer of at least -5");
}

TEST_F(RunExampleTest, PassesArgumentsToThoseThatTakeThem) {
  EXPECT_THAT(arguments_of({"king", "--epoch_flag=3", "--", "--queen"}),
              ::testing::ElementsAre("king", "--queen"));
  EXPECT_EQ(GetFlag(FLAGS_epoch_flag), 3);
  EXPECT_THAT(arguments_of({}), ::testing::IsEmpty());
}

TEST_F(RunExampleTest, MakesOneLineOfWhatIsThrown) {
  ::testing::internal::CaptureStderr();
  const int code = run({}, [] { throw Error("none of:\n  a\n  b"); });
  EXPECT_EQ(code, 1);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "error: none of: a b\n");
}

TEST_F(RunExampleTest, RunsWhereTheUserIs) {
  const catena::testing::TempFolder folder;
  ASSERT_EQ(setenv("BUILD_WORKING_DIRECTORY", folder.path().c_str(), 1), 0);
  std::filesystem::path current;
  EXPECT_EQ(run({}, [&] { current = std::filesystem::current_path(); }), 0);
  EXPECT_TRUE(std::filesystem::equivalent(current, folder.path()));
  ASSERT_EQ(unsetenv("BUILD_WORKING_DIRECTORY"), 0);
}

}  // namespace
}  // namespace catena::examples
