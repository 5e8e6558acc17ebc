// Runs the program as a user would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "catena/dataset/image_file.h"
#include "catena/tests/support/program.h"
#include "catena/tests/support/program_checks.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::Shape;
using ::catena::testing::expect_error_line;
using ::catena::testing::expect_flags;
using ::catena::testing::expect_stops_on_interrupt;
using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::read_log;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::HasSubstr;
using Arguments = Program::Arguments;

class CifarTest : public ::testing::Test {
 protected:
  Program start(const std::string& out, Arguments arguments) const {
    arguments.push_back("--out=" + folder_.file(out));
    return Program("examples/cifar/train_cifar", arguments, folder_);
  }
  // The log, without times.
  nlohmann::json train(const std::string& out, Arguments arguments) const {
    const Program program = start(out, std::move(arguments));
    EXPECT_EQ(program.wait(), 0) << program.err();
    return read_log(folder_.file(out + "/log"));
  }

  TempFolder folder_;
};

TEST_F(CifarTest, LearnsShapes) {
  const auto log = train("results", {"--shapes=1600", "--epoch=4",
                                     "--batchsize=32", "--dropout=0"});
  ASSERT_EQ(log.size(), 4u);
  // From 2.1; how far depends on the instruction set's rounding.
  EXPECT_LT(log.back()["main/loss"].get<double>(),
            log.front()["main/loss"].get<double>() - 0.3);
  EXPECT_GT(log.back()["validation/main/accuracy"].get<double>(), 0.35);
  for (const std::string file :
       {"cg.dot", "best_model.npz", "snapshot_iter_150", "snapshot_iter_200"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_.file("results/" + file)))
        << file;
  }
  // Eight rows and columns of 32 pixels, each with a border of two.
  EXPECT_EQ(catena::dataset::read_image(folder_.file("results/predictions.png"))
                .shape(),
            Shape({274, 274, 3}));
}

TEST_F(CifarTest, ResumesWhereItStopped) {
  const auto with = [](Arguments more) {
    more.insert(more.end(), {"--shapes=160", "--batchsize=32", "--width=2"});
    return more;
  };
  // Beyond the fifth epoch, when the learning rate is halved.
  const auto whole = train("whole", with({"--epoch=7"}));
  train("parts", with({"--epoch=5"}));
  EXPECT_EQ(train("parts", with({"--epoch=7", "--resume=latest"})), whole);
  EXPECT_EQ(whole.size(), 7u);
  for (const std::string file : {"predictions.png", "best_model.npz"}) {
    EXPECT_EQ(read_file(folder_.file("parts/" + file)),
              read_file(folder_.file("whole/" + file)));
  }
  EXPECT_NE(train("other", with({"--epoch=7", "--seed=1"})), whole);
}

TEST_F(CifarTest, StopsEarly) {
  // Nothing improves without a step that is worth the name.
  const Program program =
      start("results", {"--shapes=64", "--width=2", "--learnrate=1e-30",
                        "--epoch=50", "--early_stopping=main/accuracy"});
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_THAT(program.out(), HasSubstr("EarlyStoppingTrigger: main/accuracy"));
  EXPECT_LT(
      nlohmann::json::parse(read_file(folder_.file("results/log"))).size(),
      50u);
}

// Images that are all of one color, that of their label.
void write_made_up_cifar(const std::string& file, int coarse_labels,
                         int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    const char label = static_cast<char>(i % 10);
    bytes += std::string(coarse_labels, '\0') + label;
    bytes += std::string(3072, static_cast<char>(label * 25));
  }
  write_file(file, bytes);
}

TEST_F(CifarTest, ReadsCifarsFiles) {
  const std::string data = folder_.file("data");
  std::filesystem::create_directory(data);
  for (int i = 1; i <= 5; ++i) {
    write_made_up_cifar(data + "/data_batch_" + std::to_string(i) + ".bin", 0,
                        40);
  }
  write_made_up_cifar(data + "/test_batch.bin", 0, 100);
  write_made_up_cifar(data + "/train.bin", 1, 200);
  write_made_up_cifar(data + "/test.bin", 1, 100);
  const Arguments small = {"--data_dir=" + data, "--width=4",
                           "--dropout=0",        "--epoch=6",
                           "--batchsize=20",     "--learnrate=0.02"};
  for (const std::string dataset : {"cifar10", "cifar100"}) {
    SCOPED_TRACE(dataset);
    Arguments arguments = small;
    arguments.push_back("--dataset=" + dataset);
    const auto log = train(dataset, arguments);
    ASSERT_EQ(log.size(), 6u);
    EXPECT_EQ(log.back()["iteration"], 60);
    EXPECT_LT(log.back()["main/loss"].get<double>(),
              0.85 * log.front()["main/loss"].get<double>());
  }
}

TEST_F(CifarTest, StopsOnAnInterrupt) {
  const Program program = start("results", {"--shapes=64", "--epoch=1000000"});
  expect_stops_on_interrupt(program, folder_.file("results/log"));
}

TEST_F(CifarTest, HelpListsTheFlags) {
  const Program help = start("results", {"--help"});
  expect_flags(help, {"dataset", "data_dir", "device", "batchsize", "learnrate",
                      "epoch", "width", "dropout", "early_stopping", "out",
                      "resume", "shapes", "seed"});
  EXPECT_THAT(help.out(), HasSubstr("(300; 10 for shapes)"));
}

TEST_F(CifarTest, BadArgumentsAndDataAreOneClearLine) {
  const auto expect_failure = [&](const Arguments& arguments,
                                  const std::string& message) {
    SCOPED_TRACE(arguments.back());
    const Program program = start("results", arguments);
    expect_error_line(program, message);
  };
  expect_failure({"--epochs=3"}, "flag 'epochs'");
  expect_failure({"--epoch=0"}, "expected an integer of at least 1");
  expect_failure({"--dataset=cats"},
                 "expected shapes, cifar10 or cifar100, got 'cats'");
  expect_failure({"--learnrate=0"}, "--learnrate: expected more than 0, got 0");
  expect_failure({"--dropout=2"}, "--dropout: expected at least 0");
  expect_failure({"--device=tpu"}, "got 'tpu'");
  expect_failure({"--dataset=cifar10", "--data_dir=" + folder_.file("none")},
                 folder_.file("none"));
  expect_failure({"--resume=latest"}, folder_.file("results"));
}

}  // namespace
