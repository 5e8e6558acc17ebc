// Runs the programs as a user would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
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

constexpr const char* kNodeByNode = "train_sentiment";
constexpr const char* kLevelByLevel = "train_recursive_minibatch";

class SentimentTest : public ::testing::Test {
 protected:
  Program start(const std::string& name, Arguments arguments) const {
    if (std::none_of(arguments.begin(), arguments.end(), [](const auto& text) {
          return text.starts_with("--out=");
        })) {
      arguments.push_back("--out=" + folder_.file("result"));
    }
    return Program("examples/sentiment/" + name, arguments, folder_);
  }
  std::string run(const std::string& name, const Arguments& arguments) const {
    const Program program = start(name, arguments);
    EXPECT_EQ(program.wait(), 0) << program.err();
    return program.out();
  }
  // The log without times.
  nlohmann::json log(const std::string& out = "result") const {
    return read_log(folder_.file(out + "/log"));
  }

  TempFolder folder_;
};

TEST_F(SentimentTest, LearnsNodeByNode) {
  const std::string out =
      run(kNodeByNode, {"--epoch=2", "--epocheval=1", "--unit=16"});
  EXPECT_THAT(out, AllOf(HasSubstr("# words: 42"),
                         ContainsRegex("Test: .* % of the sentences"),
                         ContainsRegex("label [0-4], predicted [0-4]: the ")));
  const auto entries = log();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_LT(entries[1]["main/loss"].get<double>(),
            entries[0]["main/loss"].get<double>() / 2);
  EXPECT_GT(entries[1]["validation/main/root_accuracy"].get<double>(), 0.6);
  EXPECT_GT(entries[1]["validation/main/accuracy"].get<double>(), 0.9);
}

TEST_F(SentimentTest, LevelByLevelIsTheSameComputation) {
  const Arguments arguments = {"--test", "--batchsize=5", "--epoch=4",
                               "--epocheval=1"};
  run(kNodeByNode, arguments);
  const auto slow = log();
  run(kLevelByLevel, arguments);
  const auto fast = log();
  ASSERT_EQ(slow.size(), 4u);
  ASSERT_EQ(fast.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    for (const std::string key : {"main/loss", "validation/main/loss"}) {
      const double loss = slow[i][key].get<double>();
      EXPECT_NEAR(fast[i][key].get<double>(), loss, 1e-4 * loss) << key;
    }
    for (const std::string key : {"main/total", "main/root_total",
                                  "main/accuracy", "main/root_accuracy"}) {
      EXPECT_EQ(fast[i][key], slow[i][key]) << key;
    }
  }
  EXPECT_LT(slow[3]["main/loss"].get<double>(),
            slow[0]["main/loss"].get<double>() / 2);
}

TEST_F(SentimentTest, ModelsDiffer) {
  const auto accuracy = [&](const std::string& model) {
    run(kLevelByLevel,
        {"--model=" + model, "--epoch=4", "--epocheval=4", "--unit=20"});
    return log().back()["validation/main/root_accuracy"].get<double>();
  };
  EXPECT_GT(accuracy("recursive"), 0.8);
  EXPECT_GT(accuracy("tree_lstm"), 0.9);
  EXPECT_LT(accuracy("bag_of_words"), 0.6);
}

TEST_F(SentimentTest, ResumesWhereItStopped) {
  for (const std::string program : {kNodeByNode, kLevelByLevel}) {
    const auto part = [&](const std::string& out, int epochs) {
      return Arguments{"--test", "--batchsize=5", "--epocheval=5",
                       "--epoch=" + std::to_string(epochs),
                       "--out=" + folder_.file(program + out)};
    };
    const std::string whole = run(program, part("whole", 20));
    run(program, part("parts", 10));
    Arguments rest = part("parts", 20);
    rest.push_back("--resume=latest");
    const std::string resumed = run(program, rest);
    EXPECT_EQ(log(program + "parts"), log(program + "whole"));
    EXPECT_EQ(log(program + "parts").size(), 4u);
    EXPECT_EQ(resumed.substr(resumed.find("Test:")),
              whole.substr(whole.find("Test:")));
  }
}

TEST_F(SentimentTest, ReadsATreebank) {
  std::filesystem::create_directory(folder_.file("trees"));
  std::string text;
  for (const std::string a : {"0", "1"}) {
    for (const std::string b : {"0", "1"}) {
      text += "(" + std::string(a == b ? "0" : "1") + " (" + a + " word" + a +
              ") (" + b + " word" + b + "))\n";
    }
  }
  text += "(1 word1)\n";  // a whole tree
  for (const std::string file : {"train", "dev", "test"}) {
    write_file(folder_.file("trees/" + file + ".txt"), text);
  }
  for (const std::string program : {kNodeByNode, kLevelByLevel}) {
    const std::string out =
        run(program, {"--data_dir=" + folder_.file("trees"), "--label=2",
                      "--epoch=60", "--epocheval=20", "--batchsize=2"});
    EXPECT_THAT(out,
                AllOf(HasSubstr("# trees: 5"), HasSubstr("# words: 2"),
                      HasSubstr("100 % of the phrases, 100 % of the sent")));
  }
}

TEST_F(SentimentTest, StopsOnAnInterrupt) {
  const Program program =
      start(kLevelByLevel, {"--test", "--epoch=1000000", "--epocheval=1"});
  expect_stops_on_interrupt(program, folder_.file("result/log"));
  EXPECT_GT(log().size(), 0u);
}

TEST_F(SentimentTest, HelpListsTheFlags) {
  for (const std::string program : {kNodeByNode, kLevelByLevel}) {
    const Program help = start(program, {"--help"});
    expect_flags(help, {"data_dir", "device", "batchsize", "epoch", "unit",
                        "label", "epocheval", "test", "out", "resume", "seed"});
    EXPECT_THAT(help.out(), HasSubstr("20, with --data_dir 400"));
  }
}

TEST_F(SentimentTest, BadArgumentsAndDataAreOneClearLine) {
  const auto expect_failure = [&](const std::string& name,
                                  const std::string& argument,
                                  const std::string& message) {
    SCOPED_TRACE(name + " " + argument);
    const Program program = start(name, {argument});
    expect_error_line(program, message);
  };
  const std::string broken = folder_.file("broken");
  std::filesystem::create_directory(broken);
  write_file(broken + "/train.txt", "(1 (2 a) (2 b))\n(1 (2 a) (2 b)\n");
  for (const std::string name : {kNodeByNode, kLevelByLevel}) {
    expect_failure(name, "--epochs=3", "flag 'epochs'");
    expect_failure(name, "--epoch=0", "expected an integer of at least 1");
    expect_failure(name, "--unit=none", "expected an integer of at least 1");
    expect_failure(name, "--label=3", "--label: expected at least 5");
    expect_failure(name, "--device=tpu", "got 'tpu'");
    expect_failure(name, "--data_dir=" + folder_.file("none"),
                   "found no train.txt; get them from https://nlp.stanford");
    expect_failure(name, "--data_dir=" + broken,
                   "train.txt': line 2, column 15: expected ')', got the end");
    expect_failure(name, "--resume=latest", folder_.file("result"));
  }
  expect_failure(kLevelByLevel, "--model=lstm",
                 "expected recursive, tree_lstm or bag_of_words, got 'lstm'");
}

}  // namespace
