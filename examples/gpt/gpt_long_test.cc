// Runs train_char with its defaults, some minutes on two cores.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;
using ::testing::HasSubstr;

TEST(GptLongTest, WritesLikeShakespeare) {
  const TempFolder folder;
  const std::string out = folder.file("result");
  const Program program("examples/gpt/train_char", {"--out=" + out}, folder);
  ASSERT_EQ(program.wait(), 0) << program.err();
  const auto log = nlohmann::json::parse(read_file(out + "/log"));
  const double loss = log.back()["validation/main/loss"];
  std::cout << "validation loss: " << loss << "\n";
  EXPECT_LT(loss, 1.90);
  // Speeches in lines, with speakers.
  const std::string texts = read_file(out + "/texts.txt");
  std::cout << texts;
  EXPECT_THAT(texts.substr(texts.find("--- 2000")), HasSubstr(":\n"));
}

}  // namespace
