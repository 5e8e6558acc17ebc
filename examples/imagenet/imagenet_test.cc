// Runs the programs as a user would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/io/npy.h"
#include "catena/dataset/image_file.h"
#include "catena/tests/support/program.h"
#include "catena/tests/support/program_checks.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::Array;
using ::catena::Dtype;
using ::catena::str;
using ::catena::testing::expect_error_line;
using ::catena::testing::expect_flags;
using ::catena::testing::expect_stops_on_interrupt;
using ::catena::testing::IsClose;
using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::read_log;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Arguments = Program::Arguments;
namespace xp = catena::array;

constexpr char kTrain[] = "train_imagenet";
constexpr char kDataParallel[] = "train_imagenet_data_parallel";

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class ImagenetTest : public ::testing::Test {
 protected:
  Program start(const std::string& program, const Arguments& arguments) const {
    return Program("examples/imagenet/" + program, arguments, folder_);
  }
  // The log, without times.
  nlohmann::json train(const std::string& program, const std::string& out,
                       const Arguments& arguments) const {
    const Program training =
        start(program, arguments + Arguments{"--out=" + folder_.file(out)});
    EXPECT_EQ(training.wait(), 0) << training.err();
    return read_log(folder_.file(out + "/log"));
  }

  // Writes `count` dark pictures, label 0, and bright ones, label 1, of 48x40
  // pixels, and their list.
  void write_pictures(const std::string& name, int64_t count) const {
    std::filesystem::create_directories(folder_.file("pictures/" + name));
    std::string lines;
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t label : {0, 1}) {
        const Array image =
            xp::full({3, 40, 48}, 60 + 120 * label, Dtype::kUInt8);
        image[label].fill(i);
        const std::string path = str(name, "/", i, "_", label, ".png");
        catena::dataset::write_image(folder_.file("pictures/" + path), image);
        lines += str(path, " ", label, "\n");
      }
    }
    write_file(folder_.file(name + ".txt"), lines);
  }

  TempFolder folder_;
};

// The settings of a training that takes a second or two, on shapes that
// programs share.
Arguments small(const TempFolder& folder) {
  return {"--data_dir=" + folder.path(), "--shapes=64", "--insize=40",
          "--batchsize=16"};
}

TEST_F(ImagenetTest, DrawsShapes) {
  const Program program =
      start(kTrain, {"--shapes=80", "--insize=56", "--batchsize=20",
                     "--epoch=7", "--out=" + folder_.file("results")});
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_THAT(program.out(),
              HasSubstr("# pictures: 80 to train with, 16 to evaluate with, 8 "
                        "classes\n# network: nin, 56x56 pixels\n"));
  EXPECT_THAT(program.out(),
              ContainsRegex("# pictures/s: [0-9]+ threads load [0-9.e+]+, the "
                            "network takes [0-9.e+]+\n"));
  const auto log =
      nlohmann::json::parse(read_file(folder_.file("results/log")));
  ASSERT_EQ(log.size(), 7u);
  EXPECT_NEAR(log.front()["lr"].get<double>(), 0.01, 1e-9);
  EXPECT_NEAR(log.back()["lr"].get<double>(), 0.003, 1e-9);
  const std::string shapes = folder_.file("results/shapes_64x64_80/");
  EXPECT_THAT(read_file(shapes + "val.txt"),
              StartsWith("val/0_circle.jpg 0\nval/1_square.jpg 1\n"));
  for (const std::string file :
       {"cg.dot", "snapshot_iter_28", "model_iter_24", "model_iter_28"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_.file("results/" + file)))
        << file;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.file("results/model_iter_20")));
}

TEST_F(ImagenetTest, ResumesWhereItStopped) {
  for (const std::string program : {kTrain, kDataParallel}) {
    SCOPED_TRACE(program);
    const Arguments arguments = small(folder_);
    const std::string parts = "parts of " + program;
    const auto whole =
        train(program, "whole", arguments + Arguments{"--epoch=4"});
    train(program, parts, arguments + Arguments{"--epoch=2"});
    EXPECT_EQ(train(program, parts,
                    arguments + Arguments{"--epoch=4", "--resume=latest"}),
              whole);
    EXPECT_EQ(whole.size(), 4u);
    EXPECT_NE(
        train(program, "other", arguments + Arguments{"--epoch=4", "--seed=1"}),
        whole);
  }
}

TEST_F(ImagenetTest, TrainsOnListsOfPictures) {
  write_pictures("train", 30);
  write_pictures("val", 10);
  const std::string mean = folder_.file("mean.npy");
  const Program computing =
      start("compute_mean", {"--root=" + folder_.file("pictures"),
                             "--output=" + mean, folder_.file("train.txt")});
  EXPECT_EQ(computing.wait(), 0) << computing.err();
  EXPECT_THAT(computing.out(), HasSubstr("pictures: 60 of 48x40 pixels"));
  // Red: the mean of 0 to 29 in half of the pictures and 180 in the others.
  const Array expected = xp::zeros({3, 40, 48}, Dtype::kFloat32);
  expected[0].fill((14.5 + 180) / 2);
  expected[1].fill((60 + 14.5) / 2);
  expected[2].fill((60 + 180) / 2.0);
  EXPECT_THAT(xp::load_npy(mean), IsClose(expected));

  const Arguments arguments = {"--root=" + folder_.file("pictures"),
                               "--mean=" + mean,
                               "--insize=40",
                               "--epoch=4",
                               "--test",
                               folder_.file("train.txt"),
                               folder_.file("val.txt")};
  const auto expect_success = [](const nlohmann::json& log) {
    ASSERT_EQ(log.size(), 24u);  // 10 pictures in each iteration
    EXPECT_GT(log.front()["main/loss"].get<double>(), 0.5);
    EXPECT_LT(log.back()["main/loss"].get<double>(), 0.1);
    EXPECT_EQ(log.back()["validation/main/accuracy"], 1);
  };
  expect_success(train(kTrain, "one", arguments + Arguments{"--batchsize=10"}));
  expect_success(
      train(kDataParallel, "two", arguments + Arguments{"--batchsize=5"}));
}

TEST_F(ImagenetTest, StartsFromAModel) {
  const Arguments arguments = small(folder_) + Arguments{"--epoch=1"};
  train(kTrain, "first", arguments);
  const auto again = [&](const std::string& program) {
    return train(program, "second",
                 arguments + Arguments{"--initmodel=" +
                                       folder_.file("first/model_iter_4")});
  };
  // It starts from other weights than without a model.
  EXPECT_NE(again(kTrain), train(kTrain, "third", arguments));
  EXPECT_NE(again(kDataParallel), train(kDataParallel, "third", arguments));
}

TEST_F(ImagenetTest, StopsOnAnInterrupt) {
  const Program program =
      start(kTrain, small(folder_) + Arguments{"--epoch=100000",
                                               "--out=" + folder_.file("out")});
  expect_stops_on_interrupt(program, folder_.file("out/log"));
}

TEST_F(ImagenetTest, ComputesTheMeanOfShapes) {
  const Program program =
      start("compute_mean", {"--shapes=40", "--data_dir=" + folder_.path(),
                             "--output=" + folder_.file("mean.npy")});
  EXPECT_EQ(program.wait(), 0) << program.err();
  EXPECT_THAT(program.out(), HasSubstr("pictures: 40 of 64x64 pixels"));
  EXPECT_THAT(xp::load_npy(folder_.file("mean.npy")),
              IsClose(xp::load_npy(folder_.file("shapes_64x64_40/mean.npy"))));
}

TEST_F(ImagenetTest, HelpListsTheFlags) {
  for (const std::string program : {kTrain, kDataParallel}) {
    const Program help = start(program, {"--help"});
    expect_flags(help, {"arch", "batchsize", "epoch", "initmodel", "loaderjob",
                        "mean", "resume", "out", "root", "val_batchsize",
                        "test", "shapes", "insize", "seed"});
    EXPECT_THAT(help.out(), HasSubstr("(10; 8 for shapes)"));
    EXPECT_THAT(help.out(), HasSubstr("[flags] train.txt val.txt"));
  }
}

TEST_F(ImagenetTest, BadArgumentsAndFilesAreOneClearLine) {
  const auto expect_failure = [&](const std::string& program,
                                  const Arguments& arguments,
                                  const std::string& message) {
    SCOPED_TRACE(program + " " + arguments.back());
    const Program failing = start(program, arguments);
    expect_error_line(failing, message);
  };
  const std::string none = folder_.file("none.txt");
  write_pictures("train", 1);
  const std::string list = folder_.file("train.txt");
  const std::string mean = folder_.file("mean.npy");
  for (const std::string program : {kTrain, kDataParallel}) {
    const std::string out = "--out=" + folder_.file("out");
    expect_failure(program, {out, "--arch=lenet"}, "got 'lenet'");
    expect_failure(program, {out, "--epoch=0"}, "an integer of at least 1");
    expect_failure(program, {out, "--archs=nin"}, "flag 'archs'");
    expect_failure(program, {out, list}, "expected two lists of pictures");
    expect_failure(program, {out, none, none}, none);
    expect_failure(program, {out, "--mean=" + mean, list, list}, mean);
  }
  expect_failure(kTrain, {"--device=tpu"}, "got 'tpu'");
  expect_failure(kDataParallel, {"--devices=native:0,tpu"}, "got 'tpu'");
  expect_failure("compute_mean", {none}, none);
  expect_failure("compute_mean", {list, list}, "expected one list");
  // The pictures of the list are in another folder.
  expect_failure("compute_mean", {list, "--root=" + folder_.path()}, "0_0.png");

  // A picture that is damaged, and one of another size.
  const std::string root = "--root=" + folder_.file("pictures");
  write_file(folder_.file("pictures/damaged.png"), "no picture");
  write_file(none, "damaged.png 0\n");
  expect_failure("compute_mean", {none, root}, "damaged.png");
  catena::dataset::write_image(folder_.file("pictures/small.png"),
                               xp::zeros({3, 8, 8}, Dtype::kUInt8));
  write_file(none, "small.png 0\n" + read_file(list));
  expect_failure("compute_mean", {none, root}, "(3, 8, 8)");

  const Arguments small_ones = small(folder_) + Arguments{"--out=" + mean};
  expect_failure(kTrain, small_ones + Arguments{"--initmodel=none.npz"},
                 "none.npz");
  expect_failure(kTrain, small_ones + Arguments{"--resume=latest"}, mean);
}

}  // namespace
