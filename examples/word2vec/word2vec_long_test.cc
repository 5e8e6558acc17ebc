// Trains with the defaults, about 20 seconds, and looks for neighbors that a
// reader of Shakespeare expects.

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
using ::testing::HasSubstr;

TEST(Word2vecLongTest, SimilarWordsAreNear) {
  const TempFolder folder;
  const std::string out = folder.file("result");
  const Program train("examples/word2vec/train_word2vec", {"--out=" + out},
                      folder);
  ASSERT_EQ(train.wait(), 0) << train.err();
  const auto log = nlohmann::json::parse(read_file(out + "/log"));
  // Below the entropy of the words, what their frequencies alone would give.
  EXPECT_LT(log.back()["main/loss"].get<double>(), 5.4);
  EXPECT_LT(log.back()["validation/main/loss"].get<double>(), 5.5);

  const auto near = [&](const std::string& word) {
    const Program search("examples/word2vec/search",
                         {"--model=" + out + "/word2vec.model", word}, folder);
    EXPECT_EQ(search.wait(), 0) << search.err();
    return search.out();
  };
  EXPECT_THAT(near("three"), HasSubstr(" four\n"));
  EXPECT_THAT(near("he"), HasSubstr(" she\n"));
  EXPECT_THAT(near("king"), HasSubstr(" henry\n"));
  EXPECT_THAT(near("ROMEO:"), HasSubstr(" JULIET:\n"));
}

}  // namespace
