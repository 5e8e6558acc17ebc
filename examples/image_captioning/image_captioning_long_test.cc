// Both LSTMs describe scenes of combinations they never saw, with default
// settings.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;

class EveryRnn : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryRnn, DescribesNineScenesInTenExactly) {
  const TempFolder folder;
  const std::string result = folder.file("result");
  const Program train("examples/image_captioning/train",
                      {"--out=" + result, "--rnn=" + GetParam()}, folder);
  ASSERT_EQ(train.wait(), 0) << train.err();
  const auto log = nlohmann::json::parse(read_file(folder.file("result/log")));
  EXPECT_GT(log.back()["exact_match"].get<double>(), 0.9);

  const Program predict("examples/image_captioning/predict",
                        {"--model=" + result, "--scenes=300",
                         "--out=" + folder.file("captions"), "--seed=1"},
                        folder);
  ASSERT_EQ(predict.wait(), 0) << predict.err();
  const std::string out = predict.out();
  const size_t last_line = out.rfind('\n', out.size() - 2) + 1;
  EXPECT_GT(std::stoi(out.substr(last_line)), 270) << out.substr(last_line);
}

INSTANTIATE_TEST_SUITE_P(ImageCaptioning, EveryRnn,
                         ::testing::Values("nsteplstm", "lstm"));

}  // namespace
