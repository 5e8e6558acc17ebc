// What the network learns with the default settings, and whether loading keeps
// up with it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;

// Trains with the default settings. Returns what the program prints.
std::string train(const std::string& name) {
  const TempFolder folder;
  const Program program("examples/imagenet/" + name,
                        {"--out=" + folder.file("results")}, folder);
  EXPECT_EQ(program.wait(), 0) << program.err();
  const auto log = nlohmann::json::parse(read_file(folder.file("results/log")));
  EXPECT_EQ(log.size(), 8u);
  EXPECT_GT(log.back()["validation/main/accuracy"].get<double>(), 0.95);
  return program.out();
}

TEST(ImagenetLongTest, KnowsShapesAndLoadsThemInTime) {
  const std::string out = train("train_imagenet");
  std::smatch speeds;
  ASSERT_TRUE(std::regex_search(
      out, speeds,
      std::regex("threads load ([0-9.e+]+), the network takes ([0-9.e+]+)")))
      << out;
  EXPECT_GT(std::stod(speeds[1]), 5 * std::stod(speeds[2]));
}

TEST(ImagenetLongTest, TwoDevicesLearnTheSame) {
  train("train_imagenet_data_parallel");
}

}  // namespace
