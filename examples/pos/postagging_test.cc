// Runs the program as a user would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "catena/tests/support/program.h"
#include "catena/tests/support/program_checks.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::expect_error_line;
using ::catena::testing::expect_flags;
using ::catena::testing::expect_stops_on_interrupt;
using ::catena::testing::Program;
using ::catena::testing::read_log;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using Arguments = Program::Arguments;

class PostaggingTest : public ::testing::Test {
 protected:
  Program start(Arguments arguments, const std::string& out = "result") const {
    arguments.push_back("--out=" + folder_.file(out));
    return Program("examples/pos/postagging", arguments, folder_);
  }
  std::string run(const Arguments& arguments,
                  const std::string& out = "result") const {
    const Program program = start(arguments, out);
    EXPECT_EQ(program.wait(), 0) << program.err();
    return program.out();
  }
  // The log without times.
  nlohmann::json log(const std::string& out = "result") const {
    return read_log(folder_.file(out + "/log"));
  }

  TempFolder folder_;
};

TEST_F(PostaggingTest, LearnsMadeUpSentences) {
  const std::string out = run({"--epoch=4"});
  EXPECT_THAT(
      out, AllOf(HasSubstr("# of sentences: 5000"), HasSubstr("# of pos: 21"),
                 ContainsRegex("Test: .* % of the tags are right"),
                 ContainsRegex("[a-z]+/[a-z$]+ .* \\./\\.\n")));
  const auto entries = log();
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_LT(entries[3]["main/loss"].get<double>(),
            entries[0]["main/loss"].get<double>());
  EXPECT_GT(entries[3]["validation/main/accuracy"].get<double>(), 0.95);
}

TEST_F(PostaggingTest, WithoutTransitionsEachWordHasItsMostFrequentTag) {
  const std::string out = run({"--epoch=4", "--notransitions"});
  const double accuracy =
      log().back()["validation/main/accuracy"].get<double>();
  const std::string before = "most frequent tag ";
  const double most_frequent =
      std::stod(out.substr(out.find(before) + before.size())) / 100;
  EXPECT_NEAR(accuracy, most_frequent, 0.01);
}

TEST_F(PostaggingTest, ReadsAFile) {
  // "b" is x after a, else y; there is one sentence of each kind to test on.
  std::string text;
  for (int i = 0; i < 10; ++i) text += "a/z b/x\nb/y\nc/z b/y a/z b/x\n";
  write_file(folder_.file("data"), text);
  const std::string out =
      run({"--data=" + folder_.file("data"), "--batchsize=3", "--epoch=200"});
  EXPECT_THAT(out, AllOf(HasSubstr("# of sentences: 30"),
                         HasSubstr("# of words: 3"), HasSubstr("# of pos: 3"),
                         HasSubstr("Test: 100 % of the tags are right")));
}

TEST_F(PostaggingTest, ResumesWhereItStopped) {
  const std::string whole = run({"--epoch=4"}, "whole");
  run({"--epoch=2"}, "parts");
  const std::string resumed = run({"--epoch=4", "--resume=latest"}, "parts");
  EXPECT_EQ(log("parts"), log("whole"));
  EXPECT_EQ(resumed.substr(resumed.find("Test:")),
            whole.substr(whole.find("Test:")));
}

TEST_F(PostaggingTest, StopsOnAnInterrupt) {
  const Program program = start({"--epoch=1000000"});
  expect_stops_on_interrupt(program, folder_.file("result/log"));
  EXPECT_GT(log().size(), 0u);
}

TEST_F(PostaggingTest, HelpListsTheFlags) {
  expect_flags(start({"--help"}), {"data", "transitions", "device", "batchsize",
                                   "epoch", "out", "resume", "seed"});
}

TEST_F(PostaggingTest, BadArgumentsAndDataAreOneClearLine) {
  const auto expect_failure = [&](const std::string& argument,
                                  const std::string& message) {
    SCOPED_TRACE(argument);
    const Program program = start({argument});
    expect_error_line(program, message);
  };
  expect_failure("--epochs=3", "flag 'epochs'");
  expect_failure("--epoch=0", "expected an integer of at least 1");
  expect_failure("--batchsize=many", "expected an integer of at least 1");
  expect_failure("--device=tpu", "got 'tpu'");
  expect_failure("--data=" + folder_.file("none"),
                 "the corpus is in https://raw.githubusercontent.com");
  expect_failure("--resume=latest", folder_.file("result"));
  write_file(folder_.file("broken"), "the/at can/nn\nthe can/nn\n");
  expect_failure("--data=" + folder_.file("broken"),
                 "line 2, column 1: expected word/tag, got 'the'");
}

}  // namespace
