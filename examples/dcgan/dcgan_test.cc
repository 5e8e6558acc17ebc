// Runs the program as a user would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "catena/array/creation.h"
#include "catena/dataset/image_file.h"
#include "catena/dataset/testing/idx_files.h"
#include "catena/tests/support/program.h"
#include "catena/tests/support/program_checks.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::Array;
using ::catena::Shape;
using ::catena::testing::expect_error_line;
using ::catena::testing::expect_flags;
using ::catena::testing::expect_stops_on_interrupt;
using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::read_log;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::catena::testing::write_mnist_part;
using ::testing::HasSubstr;
using Arguments = Program::Arguments;

class DcganTest : public ::testing::Test {
 protected:
  Program start(const std::string& out, Arguments arguments) const {
    arguments.insert(arguments.begin(), "--ch=16");
    arguments.push_back("--out=" + folder_.file(out));
    return Program("examples/dcgan/train_dcgan", arguments, folder_);
  }
  // The log, without times.
  nlohmann::json run(const std::string& out, const Arguments& arguments) const {
    const Program program = start(out, arguments);
    EXPECT_EQ(program.wait(), 0) << program.err();
    return read_log(folder_.file(out + "/log"));
  }
  void expect_failure(const Arguments& arguments,
                      const std::string& message) const {
    SCOPED_TRACE(arguments.back());
    const Program program = start("results", arguments);
    expect_error_line(program, message);
  }
  Array picture(const std::string& file) const {
    return catena::dataset::read_image(folder_.file(file));
  }
  // Makes a folder of images, each of a single color.
  std::string write_images(const std::string& name, int64_t height,
                           int64_t width) const {
    const std::string images = folder_.file(name);
    std::filesystem::create_directory(images);
    for (int i = 0; i < 10; ++i) {
      catena::dataset::write_image(
          images + "/" + std::to_string(i) + ".png",
          catena::array::full({3, height, width}, 0.1 * i));
    }
    write_file(images + "/README", "not an image");
    return images;
  }

  TempFolder folder_;
};

TEST_F(DcganTest, TellsDigitsFromDrawings) {
  const auto log = run("results", {"--epoch=14", "--ch=64"});
  ASSERT_EQ(log.size(), 4u);  // of 403 iterations
  for (const auto& entry : log) {
    EXPECT_TRUE(std::isfinite(entry["gen/loss"].get<double>()));
  }
  // A discriminator that guesses has twice a loss of log 2.
  EXPECT_LT(log.back()["dis/loss"], 1.38);
  EXPECT_LT(log.back()["dis/loss"], log.front()["dis/loss"]);
}

TEST_F(DcganTest, DrawsAPictureEachEpoch) {
  run("results", {"--epoch=3", "--display_interval=29"});
  const std::string preview = "results/preview/image";
  const Array first = picture(preview + "00000029.png");
  // 8x8 pixels four times enlarged, two pixels between.
  EXPECT_EQ(first.shape(), Shape({342, 342}));
  EXPECT_EQ(picture(preview + "00000058.png").shape(), first.shape());
  EXPECT_EQ(picture(preview + "00000087.png").shape(), first.shape());
  EXPECT_NE(read_file(folder_.file(preview + "00000029.png")),
            read_file(folder_.file(preview + "00000087.png")));
}

TEST_F(DcganTest, ResumesWhereItStopped) {
  const Arguments arguments = {"--display_interval=10",
                               "--snapshot_interval=40"};
  const auto with = [&](Arguments more) {
    more.insert(more.end(), arguments.begin(), arguments.end());
    return more;
  };
  const auto whole = run("whole", with({"--epoch=3"}));
  EXPECT_EQ(whole.size(), 8u);
  // Its last snapshot is that of iteration 80.
  run("parts", with({"--epoch=3"}));
  std::filesystem::remove(folder_.file("parts/snapshot_iter_80"));
  std::filesystem::remove_all(folder_.file("parts/preview"));
  EXPECT_EQ(run("parts", with({"--epoch=3", "--resume=latest"})), whole);
  const std::string last = "/preview/image00000087.png";
  EXPECT_EQ(read_file(folder_.file("parts" + last)),
            read_file(folder_.file("whole" + last)));
  EXPECT_FALSE(
      std::filesystem::exists(folder_.file("parts/preview/image00000029.png")));

  EXPECT_NE(run("other", with({"--epoch=3", "--seed=1"})), whole);
}

TEST_F(DcganTest, LearnsFromAFolderOfImages) {
  const std::string images = write_images("images", 16, 24);
  const auto log =
      run("results", {"--dataset=" + images, "--batchsize=5", "--epoch=50"});
  ASSERT_EQ(log.size(), 1u);
  EXPECT_TRUE(std::isfinite(log[0]["gen/loss"].get<double>()));
  // Twice as high and wide, and two pixels between.
  EXPECT_EQ(picture("results/preview/image00000100.png").shape(),
            Shape({342, 502, 3}));
}

TEST_F(DcganTest, RefusesBadImages) {
  expect_failure({"--dataset=" + write_images("odd", 16, 20)},
                 "expected images whose sides are multiples of 8, got 20x16");
  const std::string mixed = write_images("mixed", 16, 16);
  catena::dataset::write_image(mixed + "/z.png",
                               catena::array::zeros({3, 8, 8}));
  const Program program =
      start("results", {"--dataset=" + mixed, "--batchsize=11"});
  EXPECT_EQ(program.wait(), 1);
  EXPECT_THAT(program.err(), HasSubstr("got shape (3, 8, 8)"));
  std::filesystem::create_directory(folder_.file("empty"));
  expect_failure({"--dataset=" + folder_.file("empty")},
                 "no .png, .jpg or .jpeg files in '" + folder_.file("empty"));
}

TEST_F(DcganTest, ReadsMnistsFiles) {
  const std::string data = folder_.file("data");
  std::filesystem::create_directory(data);
  write_mnist_part(data, "train", 20);
  write_mnist_part(data, "t10k", 1);
  run("results", {"--dataset=mnist", "--data_dir=" + data, "--epoch=1",
                  "--batchsize=10", "--display_interval=1"});
  EXPECT_EQ(picture("results/preview/image00000002.png").shape(),
            Shape({342, 342}));
}

TEST_F(DcganTest, StopsOnAnInterrupt) {
  const Program program =
      start("results", {"--epoch=1000000", "--display_interval=1"});
  expect_stops_on_interrupt(program, folder_.file("results/log"));
}

TEST_F(DcganTest, HelpListsTheFlags) {
  expect_flags(
      start("results", {"--help"}),
      {"dataset", "data_dir", "device", "batchsize", "epoch", "n_hidden", "ch",
       "out", "resume", "seed", "snapshot_interval", "display_interval"});
}

TEST_F(DcganTest, BadArgumentsAndDataAreOneClearLine) {
  expect_failure({"--epochs=3"}, "flag 'epochs'");
  expect_failure({"--epoch=0"}, "expected an integer of at least 1");
  expect_failure({"--n_hidden=many"}, "expected an integer of at least 1");
  expect_failure({"--dataset=cats"},
                 "expected digits, mnist, cifar10 or a folder of images, got "
                 "'cats'");
  expect_failure({"--device=tpu"}, "got 'tpu'");
  for (const std::string dataset : {"mnist", "cifar10"}) {
    expect_failure(
        {"--dataset=" + dataset, "--data_dir=" + folder_.file("none")},
        folder_.file("none"));
  }
  expect_failure({"--resume=latest"}, folder_.file("results"));
}

}  // namespace
