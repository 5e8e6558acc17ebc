// Runs the programs in this folder and checks what they learn or print.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "catena/array/reduction/reduce.h"
#include "catena/dataset/image_file.h"
#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::Array;
using ::catena::testing::Program;
using ::catena::testing::TempFolder;
using ::testing::HasSubstr;

class NewcomerTest : public ::testing::Test {
 protected:
  // Runs a program in a folder of its own; returns what it prints.
  std::string run(const std::string& name,
                  const Program::Arguments& arguments = {}) {
    const Program program("tests/newcomer/" + name, arguments, folder_);
    EXPECT_EQ(program.wait(), 0) << program.err();
    return program.out();
  }

  TempFolder folder_;
};

TEST_F(NewcomerTest, TheArrayProgramFindsTheNoise) {
  const std::string file = folder_.file("mended.npy");
  const std::string out = run("array_program", {file});
  EXPECT_THAT(out, HasSubstr("kept: 0.99"));
  EXPECT_THAT(out, HasSubstr("in the corner: "));
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(NewcomerTest, SequencesAreWrittenBackwards) {
  EXPECT_THAT(run("seq2seq", {folder_.path()}), HasSubstr(" of 100 right"));
}

TEST_F(NewcomerTest, TheGanDrawsDigits) {
  const std::string out = run("gan", {folder_.path()});
  EXPECT_THAT(out, HasSubstr("gen/loss"));
  const Array image = catena::dataset::read_image(folder_.file("digits.png"));
  ASSERT_EQ(image.ndim(), 2);
  // White strokes on black, as in the data.
  const double mean = catena::array::mean(image).item<double>();
  EXPECT_GT(mean, 30);
  EXPECT_LT(mean, 150);
}

// These check themselves what they reach.
TEST_F(NewcomerTest, PairsOfDigitsAreToldApart) { run("siamese"); }

TEST_F(NewcomerTest, ADerivedNetworkIsTrainedWhole) { run("derived"); }

TEST_F(NewcomerTest, TheVaeLearnsAndDraws) {
  EXPECT_THAT(run("vae", {folder_.path()}), HasSubstr("bound "));
  EXPECT_TRUE(std::filesystem::exists(folder_.file("digit.txt")));
}

TEST_F(NewcomerTest, TwoTasksResumeToTheSameBits) {
  EXPECT_THAT(run("tasks", {folder_.path()}), HasSubstr("the same bits"));
}

TEST_F(NewcomerTest, ClustersAndDirectionsAreFound) {
  EXPECT_THAT(run("clusters"), HasSubstr("0 points in another cluster"));
}

}  // namespace
