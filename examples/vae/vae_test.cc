// Runs the program as a user would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/dataset/image_file.h"
#include "catena/dataset/testing/idx_files.h"
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
using ::catena::testing::write_mnist_part;
using ::testing::HasSubstr;
using Arguments = Program::Arguments;

const std::vector<std::string> kPictures = {"train.png", "test.png",
                                            "sampled.png", "walk.png"};

class VaeTest : public ::testing::Test {
 protected:
  Program start(const std::string& out, Arguments arguments) const {
    arguments.push_back("--out=" + folder_.file(out));
    return Program("examples/vae/train_vae", arguments, folder_);
  }
  // The log, without times.
  nlohmann::json run(const std::string& out, const Arguments& arguments) const {
    const Program program = start(out, arguments);
    EXPECT_EQ(program.wait(), 0) << program.err();
    return read_log(folder_.file(out + "/log"));
  }
  Shape picture_size(const std::string& image) const {
    return catena::dataset::read_image(folder_.file("results/" + image))
        .shape();
  }
  void expect_same_pictures(const std::string& out,
                            const std::string& other) const {
    for (const std::string& picture : kPictures) {
      EXPECT_EQ(read_file(folder_.file(out + "/" + picture)),
                read_file(folder_.file(other + "/" + picture)))
          << picture;
    }
  }

  TempFolder folder_;
};

TEST_F(VaeTest, LearnsDigitsAndDrawsThem) {
  const auto log = run("results", {"--epoch=20", "--frequency=5"});
  ASSERT_EQ(log.size(), 4u);
  for (const std::string set : {"main", "validation/main"}) {
    const double first = log.front()[set + "/loss"];
    const double loss = log.back()[set + "/loss"];
    const double rec_loss = log.back()[set + "/rec_loss"];
    EXPECT_LT(loss, first - 1) << set;
    EXPECT_LT(loss, 28) << set;
    // The difference, a divergence, is not negative.
    EXPECT_GT(loss, rec_loss + 1) << set;
  }
  // Ten images of 64 pixels in a row, each with a border of two.
  EXPECT_EQ(picture_size("train.png"), Shape({134, 662}));
  EXPECT_EQ(picture_size("test.png"), Shape({134, 662}));
  EXPECT_EQ(picture_size("sampled.png"), Shape({662, 662}));
  EXPECT_EQ(picture_size("walk.png"), Shape({596, 662}));
}

TEST_F(VaeTest, ResumesWhereItStopped) {
  const Arguments arguments = {"--test", "--frequency=10", "--k=2"};
  const auto with = [&](Arguments more) {
    more.insert(more.end(), arguments.begin(), arguments.end());
    return more;
  };
  const auto whole = run("whole", with({"--epoch=40"}));
  run("parts", with({"--epoch=20"}));
  EXPECT_EQ(run("parts", with({"--epoch=40", "--resume=latest"})), whole);
  EXPECT_EQ(whole.size(), 4u);
  expect_same_pictures("parts", "whole");

  EXPECT_EQ(run("again", with({"--epoch=40"})), whole);
  EXPECT_NE(run("other", with({"--epoch=40", "--seed=1"})), whole);
}

TEST_F(VaeTest, StartsFromAModel) {
  const auto first = run("first", {"--test", "--epoch=100"});
  const auto second =
      run("second", {"--test", "--epoch=1",
                     "--initmodel=" + folder_.file("first/model.npz")});
  EXPECT_NEAR(second.back()["main/loss"].get<double>(),
              first.back()["validation/main/loss"].get<double>(), 2);
}

TEST_F(VaeTest, CWeighsTheDivergence) {
  const auto divergence = [](const nlohmann::json& log) {
    return log.back()["validation/main/loss"].get<double>() -
           log.back()["validation/main/rec_loss"].get<double>();
  };
  const auto light = run("light", {"--epoch=5", "--C=0"});
  const auto heavy = run("heavy", {"--epoch=5", "--C=10"});
  EXPECT_EQ(light.back()["main/loss"], light.back()["main/rec_loss"]);
  EXPECT_GT(divergence(light), 10);
  EXPECT_LT(divergence(heavy), 1);
}

TEST_F(VaeTest, ReadsMnistsFiles) {
  const std::string data = folder_.file("data");
  std::filesystem::create_directory(data);
  write_mnist_part(data, "train", 200);
  write_mnist_part(data, "t10k", 50);
  const auto log = run("results", {"--dataset=mnist", "--data_dir=" + data,
                                   "--epoch=20", "--unit=50"});
  ASSERT_EQ(log.size(), 20u);
  EXPECT_LT(log.back()["validation/main/loss"].get<double>(),
            log.front()["validation/main/loss"].get<double>() / 2);
  EXPECT_EQ(picture_size("walk.png"), Shape({524, 582}));
}

TEST_F(VaeTest, StopsOnAnInterrupt) {
  const Program program =
      start("results", {"--test", "--epoch=1000000", "--frequency=1"});
  expect_stops_on_interrupt(program, folder_.file("results/log"));
}

TEST_F(VaeTest, HelpListsTheFlags) {
  const Program help = start("results", {"--help"});
  expect_flags(help, {"dataset", "data_dir", "device", "batchsize", "epoch",
                      "frequency", "dimz", "unit", "C", "k", "test", "out",
                      "initmodel", "resume", "seed"});
  EXPECT_THAT(help.out(), HasSubstr("1000 for digits, 100 for mnist"));
}

TEST_F(VaeTest, BadArgumentsAndDataAreOneClearLine) {
  const auto expect_failure = [&](const Arguments& arguments,
                                  const std::string& message) {
    SCOPED_TRACE(arguments.back());
    const Program program = start("results", arguments);
    expect_error_line(program, message);
  };
  expect_failure({"--epochs=3"}, "flag 'epochs'");
  expect_failure({"--epoch=0"}, "expected an integer of at least 1");
  expect_failure({"--dimz=many"}, "expected an integer of at least 1");
  expect_failure({"--dataset=cats"}, "expected digits or mnist, got 'cats'");
  expect_failure({"--C=-1"}, "--C: expected at least 0, got -1");
  expect_failure({"--device=tpu"}, "got 'tpu'");
  expect_failure({"--dataset=mnist", "--data_dir=" + folder_.file("none")},
                 folder_.file("none"));
  expect_failure({"--initmodel=none.npz"}, "none.npz");
  expect_failure({"--resume=latest"}, folder_.file("results"));
}

}  // namespace
