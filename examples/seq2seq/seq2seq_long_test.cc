// Runs the program with its defaults: about a minute on one core.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;

TEST(Seq2seqLongTest, TranslatesDatesThatItHasNotSeen) {
  const TempFolder folder;
  const std::string out = folder.file("result");
  const Program program("examples/seq2seq/seq2seq", {"--out=" + out}, folder);
  ASSERT_EQ(program.wait(), 0) << program.err();
  const auto log = nlohmann::json::parse(read_file(out + "/log"));
  const auto& last = log.back();
  EXPECT_EQ(last["epoch"], 8);
  EXPECT_GE(last["validation/main/bleu"], 0.98);
  EXPECT_GE(last["validation/main/exact"], 0.96);
  EXPECT_LE(last["validation/main/perp"], 1.05);
}

}  // namespace
