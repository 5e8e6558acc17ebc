// Runs the program as a user would: trains, kills and resumes it, passes bad
// arguments.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "catena/dataset/testing/idx_files.h"
#include "catena/tests/support/program.h"
#include "catena/tests/support/program_checks.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::expect_error_line;
using ::catena::testing::expect_flags;
using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::read_log;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::catena::testing::write_mnist_part;
using ::testing::HasSubstr;
using Arguments = Program::Arguments;

class TrainMnistTest : public ::testing::Test {
 protected:
  Program start(Arguments arguments) const {
    return Program("examples/mnist/train_mnist", arguments, folder_);
  }
  // Trains a few epochs with output to a folder.
  Arguments training(const std::string& name, int epochs = 6) const {
    return {"--out=" + folder_.file(name), "--epoch=" + std::to_string(epochs),
            "--unit=20"};
  }
  // The log without time-dependent values.
  nlohmann::json log(const std::string& name) const {
    return read_log(folder_.file(name + "/log"));
  }
  int64_t snapshots(const std::string& name) const {
    int64_t count = 0;
    std::error_code none_yet;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.file(name), none_yet)) {
      const std::string file = entry.path().filename().string();
      count += file.starts_with("snapshot_iter_") && !file.ends_with(".tmp");
    }
    return count;
  }
  // One clear line, and exit code 1.
  void expect_failure(const Arguments& arguments,
                      const std::string& message) const {
    SCOPED_TRACE(message);
    const Program program = start(arguments);
    expect_error_line(program, message);
  }

  TempFolder folder_;
};

TEST_F(TrainMnistTest, LearnsDigitsInTwentyEpochs) {
  const Program program =
      start({"--out=" + folder_.file("result"), "--epoch=20"});
  ASSERT_EQ(program.wait(), 0) << program.err();
  const auto entries = log("result");
  ASSERT_EQ(entries.size(), 20u);
  EXPECT_GE(entries.back()["validation/main/accuracy"].get<double>(), 0.96);
  EXPECT_LT(entries.back()["main/loss"].get<double>(),
            entries.front()["main/loss"].get<double>());
  EXPECT_THAT(program.out(), HasSubstr("validation/main/accuracy"));
  EXPECT_THAT(read_file(folder_.file("result/cg.dot")), HasSubstr("digraph"));
  EXPECT_EQ(snapshots("result"), 20);
}

// Killed after 1, 3 and 4 more snapshots, at arbitrary moments.
TEST_F(TrainMnistTest, AKilledRunEndsWithTheLogOfOneThatWasNot) {
  ASSERT_EQ(start(training("whole")).wait(), 0);
  Arguments arguments = training("killed");
  int64_t seen = 0;
  for (const int64_t more : {1, 3, 4}) {
    const Program program = start(arguments);
    const int64_t enough = std::min<int64_t>(seen + more, 5);
    for (int tries = 0; snapshots("killed") < enough && tries < 20000;
         ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    program.kill_at_once();
    program.wait();
    seen = snapshots("killed");
    ASSERT_GE(seen, enough);
    arguments = training("killed");
    arguments.push_back("--resume=latest");
  }
  const Program last = start(arguments);
  ASSERT_EQ(last.wait(), 0) << last.err();
  EXPECT_EQ(log("killed"), log("whole"));
}

// Killed repeatedly after arbitrary pauses, in the middle of starting,
// training, or writing a log or a snapshot.
TEST_F(TrainMnistTest, ARunKilledAtAnyMomentEndsWithTheSameLog) {
  constexpr int kEpochs = 30;
  constexpr int kKills = 25;
  ASSERT_EQ(start(training("whole", kEpochs)).wait(), 0);
  std::mt19937 random(20240501);
  std::uniform_int_distribution<int> pause(1, 120);
  int kills = 0;
  for (int code = -SIGKILL; code != 0;) {
    Arguments arguments = training("killed", kEpochs);
    if (snapshots("killed") > 0) arguments.push_back("--resume=latest");
    const Program program = start(arguments);
    if (kills < kKills) {
      std::this_thread::sleep_for(std::chrono::milliseconds(pause(random)));
      program.kill_at_once();
      ++kills;
    }
    code = program.wait();
    ASSERT_TRUE(code == 0 || code == -SIGKILL) << program.err();
  }
  EXPECT_EQ(log("killed"), log("whole"));
}

TEST_F(TrainMnistTest, AnInterruptLeavesASnapshotToContinueFrom) {
  ASSERT_EQ(start(training("whole", 4)).wait(), 0);
  const Program program = start(training("stopped", 4000));
  for (int tries = 0; snapshots("stopped") < 1 && tries < 20000; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  program.interrupt();
  EXPECT_EQ(program.wait(), 1);
  EXPECT_THAT(program.err(), HasSubstr("training was interrupted after"));
  Arguments arguments = training("stopped", 4);
  arguments[0] = "--out=" + folder_.file("resumed");
  std::string first;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_.file("stopped"))) {
    const std::string name = entry.path().filename().string();
    if (name == "snapshot_iter_15") first = entry.path().string();
  }
  ASSERT_NE(first, "");
  arguments.push_back("--resume=" + first);
  const Program resumed = start(arguments);
  ASSERT_EQ(resumed.wait(), 0) << resumed.err();
  EXPECT_EQ(log("resumed"), log("whole"));
}

TEST_F(TrainMnistTest, ReadsMnistsFiles) {
  const std::string data = folder_.file("data");
  std::filesystem::create_directory(data);
  write_mnist_part(data, "train", 600);
  write_mnist_part(data, "t10k", 100);
  Arguments arguments = training("result", 40);
  arguments.push_back("--dataset=mnist");
  arguments.push_back("--data_dir=" + data);
  const Program program = start(arguments);
  ASSERT_EQ(program.wait(), 0) << program.err();
  const auto last = log("result").back();
  EXPECT_EQ(last["iteration"].get<int>(), 240);
  EXPECT_GE(last["validation/main/accuracy"].get<double>(), 0.95);
}

TEST_F(TrainMnistTest, LearnsMnistsTestImages) {
  const char* data = std::getenv("CATENA_MNIST_DIR");
  if (data == nullptr) {
    GTEST_SKIP() << "CATENA_MNIST_DIR does not name a folder of MNIST's files "
                    "(--test_env=CATENA_MNIST_DIR=...)";
  }
  const Program program =
      start({"--out=" + folder_.file("result"), "--dataset=mnist",
             std::string("--data_dir=") + data});
  ASSERT_EQ(program.wait(), 0) << program.err();
  EXPECT_GE(log("result").back()["validation/main/accuracy"].get<double>(),
            0.94);
}

TEST_F(TrainMnistTest, HelpListsTheFlags) {
  expect_flags(start({"--help"}), {"dataset", "data_dir", "device", "batchsize",
                                   "epoch", "unit", "out", "resume", "seed"});
}

TEST_F(TrainMnistTest, BadArgumentsAndDataAreOneClearLine) {
  expect_failure({"--epochs=3"}, "flag 'epochs'");
  expect_failure({"--epoch=three"}, "flag 'epoch'; expected an integer");
  expect_failure({"--batchsize=0"}, "flag 'batchsize'");
  expect_failure({"--dataset=cats"}, "expected digits or mnist, got 'cats'");
  expect_failure({"--device=tpu"}, "got 'tpu'");
  expect_failure({"--dataset=mnist", "--data_dir=" + folder_.file("none")},
                 folder_.file("none"));
  std::filesystem::create_directory(folder_.file("broken"));
  write_file(folder_.file("broken/t10k-images-idx3-ubyte"), "no images");
  write_file(folder_.file("broken/t10k-labels-idx1-ubyte"), "no labels");
  expect_failure({"--dataset=mnist", "--data_dir=" + folder_.file("broken")},
                 "t10k-");
  write_file(folder_.file("file"), "");
  expect_failure({"--out=" + folder_.file("file/below")}, "file/below");
  expect_failure({"--out=" + folder_.file("empty"), "--resume=latest"},
                 folder_.file("empty"));
}

TEST_F(TrainMnistTest, ASnapshotOfAnotherModelIsRefused) {
  ASSERT_EQ(start(training("small", 1)).wait(), 0);
  expect_failure(
      {"--out=" + folder_.file("small"), "--resume=latest", "--unit=30"},
      "predictor/l1/");
}

}  // namespace
