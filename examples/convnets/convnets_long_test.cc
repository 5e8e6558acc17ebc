// The accuracies that train_convnet.cc promises, with its own settings.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;

double accuracy_of(const Program::Arguments& arguments) {
  const TempFolder folder;
  Program::Arguments all = arguments;
  all.push_back("--out=" + folder.file("result"));
  const Program program("examples/convnets/train_convnet", all, folder);
  EXPECT_EQ(program.wait(), 0) << program.err();
  const auto log = nlohmann::json::parse(read_file(folder.file("result/log")));
  return log.back()["validation/main/accuracy"];
}

TEST(ConvnetsLongTest, LeNet5ReadsDigits) { EXPECT_GT(accuracy_of({}), 0.95); }

TEST(ConvnetsLongTest, VGG16ReadsDigits) {
  EXPECT_GT(accuracy_of({"--arch=vgg16"}), 0.95);
}

TEST(ConvnetsLongTest, ResNet152ReadsDigits) {
  EXPECT_GT(accuracy_of({"--arch=resnet152"}), 0.9);
}

}  // namespace
