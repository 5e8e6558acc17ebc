// Runs the programs as a user would, with small nets and synthetic images.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "catena/dataset/testing/encoded_images.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::png_file;
using ::catena::testing::PngColor;
using ::catena::testing::read_file;
using ::catena::testing::runfile;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::HasSubstr;

class CaffeExamplesTest : public ::testing::Test {
 protected:
  // Returns the exit code; outputs go to files.
  int run(const std::string& program, const std::string& arguments) const {
    const std::string command = runfile("examples/caffe/" + program) + " " +
                                arguments + " >" + folder_.file("out") + " 2>" +
                                folder_.file("err");
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string out() const { return read_file(folder_.file("out")); }
  std::string err() const { return read_file(folder_.file("err")); }

  // A gray image whose lower part is white.
  std::string make_image(const std::string& name, uint32_t size,
                         uint32_t white) const {
    std::vector<std::string> lines;
    for (uint32_t y = 0; y < size; ++y) {
      lines.emplace_back(size, y >= size - white ? '\xff' : '\x10');
    }
    write_file(folder_.file(name), png_file({.width = size,
                                             .height = size,
                                             .color = PngColor::kGray,
                                             .lines = lines}));
    return folder_.file(name);
  }

  TempFolder folder_;
};

std::string net(const std::string& name) {
  return "--model=" + runfile("tests/golden/caffe/" + name + ".caffemodel");
}

TEST_F(CaffeExamplesTest, ClassifyPrintsTheFiveBestWithLabels) {
  std::string labels;
  for (int i = 0; i < 10; ++i) labels += "name" + std::to_string(i) + "\n";
  write_file(folder_.file("labels"), labels);
  const std::string image = make_image("image.png", 40, 11);
  ASSERT_EQ(run("classify", net("lenet") + " --image=" + image +
                                " --resize=32 --scale=0.0039 --labels=" +
                                folder_.file("labels")),
            0)
      << err();
  std::istringstream lines(out());
  double last = 1;
  int count = 0;
  double score = 0;
  int number = 0;
  for (std::string label; lines >> score >> number >> label; ++count) {
    EXPECT_LE(score, last);
    EXPECT_EQ(label, "name" + std::to_string(number));
    last = score;
  }
  EXPECT_EQ(count, 5);
}

TEST_F(CaffeExamplesTest, ClassifyTakesColorAndAnyBlob) {
  const std::string image = make_image("image.png", 40, 11);
  EXPECT_EQ(run("classify", net("alexnet_like") + " --image=" + image +
                                " --resize=0 --mean=104,117,123 --blob=pool2"),
            0)
      << err();
}

TEST_F(CaffeExamplesTest, ClassifyNamesWhatIsWrong) {
  const std::string image = make_image("image.png", 40, 11);
  EXPECT_EQ(run("classify", "--image=" + image), 1);
  EXPECT_THAT(err(), HasSubstr("--model and --image are required"));
  EXPECT_EQ(run("classify", "--model=none.caffemodel --image=" + image), 1);
  EXPECT_THAT(err(), HasSubstr("none.caffemodel"));
  EXPECT_EQ(run("classify", net("lenet") + " --image=none.png"), 1);
  EXPECT_THAT(err(), HasSubstr("none.png"));
  EXPECT_EQ(run("classify", net("lenet") + " --scale=x --image=" + image), 1);
  EXPECT_THAT(err(), HasSubstr("--scale: expected a number, got 'x'"));
  EXPECT_EQ(run("classify", net("lenet") + " --blob=none --image=" + image), 1);
  EXPECT_THAT(err(), HasSubstr("there is no blob 'none'"));
}

TEST_F(CaffeExamplesTest, EvaluateCountsRightImages) {
  // The classes of some images, the most probable ones first.
  std::vector<std::vector<int>> orders;
  const std::string flags = net("lenet") + " --resize=0 --scale=0.0039";
  for (uint32_t i = 0; i < 4; ++i) {
    const std::string image =
        make_image("image" + std::to_string(i) + ".png", 28, 5 * i + 1);
    ASSERT_EQ(run("classify", flags + " --image=" + image), 0) << err();
    std::istringstream lines(out());
    std::vector<int> order;
    double score = 0;
    for (int number = 0; lines >> score >> number;) order.push_back(number);
    ASSERT_EQ(order.size(), 5u);
    orders.push_back(order);
  }
  int other = 0;  // a class that is not among the five best of the last image
  while (std::ranges::count(orders[3], other) > 0) ++other;
  const std::vector<int> labels = {orders[0][0], orders[1][0], orders[2][4],
                                   other};
  std::string list;
  for (size_t i = 0; i < labels.size(); ++i) {
    list += "image" + std::to_string(i) + ".png " + std::to_string(labels[i]) +
            "\n";
  }
  std::filesystem::create_directory(folder_.file("lists"));
  write_file(folder_.file("lists/val.txt"), list);
  write_file(folder_.file("val.txt"), list);

  ASSERT_EQ(run("evaluate", flags + " --batchsize=3 --report=1 --images=" +
                                folder_.file("val.txt")),
            0)
      << err();
  EXPECT_EQ(out(),
            "images 3  top-1 0.6667  top-5 1.0000\n"
            "images 4  top-1 0.5000  top-5 0.7500\n");
  ASSERT_EQ(run("evaluate", flags + " --root=" + folder_.path() +
                                " --images=" + folder_.file("lists/val.txt")),
            0)
      << err();
  EXPECT_EQ(out(), "images 4  top-1 0.5000  top-5 0.7500\n");
}

TEST_F(CaffeExamplesTest, EvaluateNamesWhatIsWrong) {
  make_image("image.png", 28, 11);
  const auto evaluate = [&](const std::string& list) {
    write_file(folder_.file("val.txt"), list);
    return run("evaluate", net("lenet") + " --resize=0 --images=" +
                               folder_.file("val.txt"));
  };
  EXPECT_EQ(run("evaluate", net("lenet")), 1);
  EXPECT_THAT(err(), HasSubstr("--model and --images are required"));
  EXPECT_EQ(evaluate("image.png 10\n"), 1);
  EXPECT_THAT(err(), HasSubstr("expected a label below the number of classes, "
                               "10, got 10 of"));
  EXPECT_EQ(evaluate("image.png -1\n"), 1);
  EXPECT_THAT(err(), HasSubstr("expected labels from 0, got -1 of image.png"));
  EXPECT_EQ(evaluate("image.png\n"), 1);
  EXPECT_THAT(err(), HasSubstr("val.txt': expected lines \"path label\""));
  EXPECT_EQ(evaluate("none.png 1\n"), 1);
  EXPECT_THAT(err(), HasSubstr("none.png"));
}

TEST_F(CaffeExamplesTest, ExportWritesANetThatClassifies) {
  ASSERT_EQ(run("export", "--arch=googlenet --out=" + folder_.file("net")), 0)
      << err();
  EXPECT_THAT(read_file(folder_.file("net/chainer_model.prototxt")),
              HasSubstr("name: \"googlenet\""));
  const std::string image = make_image("image.png", 224, 100);
  EXPECT_EQ(run("classify",
                "--model=" + folder_.file("net/chainer_model.caffemodel") +
                    " --resize=0 --image=" + image),
            0)
      << err();
  EXPECT_EQ(run("export", "--arch=cat"), 1);
  EXPECT_THAT(err(), HasSubstr("there is no 'cat'"));
}

TEST_F(CaffeExamplesTest, FineTuneLearnsToTellImagesApart) {
  std::string list;
  for (uint32_t i = 0; i < 12; ++i) {
    const uint32_t label = i % 2;
    const std::string name = "image" + std::to_string(i) + ".png";
    make_image(name, 28, 3 + i / 2 + 12 * label);
    list += name + " " + std::to_string(label) + "\n";
  }
  write_file(folder_.file("list.txt"), list);
  ASSERT_EQ(run("fine_tune",
                net("lenet") + " --feature=ip1 --resize=0 --scale=0.0039" +
                    " --batchsize=4 --epoch=20 --images=" +
                    folder_.file("list.txt") + " --out=" + folder_.file("o")),
            0)
      << err();
  EXPECT_TRUE(std::filesystem::exists(folder_.file("o/model.npz")));
  // The last line is "20 loss accuracy".
  std::istringstream words(out());
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  ASSERT_GE(all.size(), 3u);
  EXPECT_EQ(all[all.size() - 3], "20");
  EXPECT_GE(std::stod(all.back()), 0.9) << out();
}

}  // namespace
