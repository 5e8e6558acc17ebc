// Trains with the default settings: about a minute.

#include <gtest/gtest.h>

#include <string>

#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::Program;
using ::catena::testing::TempFolder;

// The percentage of test sentences with the right label.
double accuracy(const std::string& name, Program::Arguments arguments = {}) {
  const TempFolder folder;
  arguments.push_back("--out=" + folder.file("result"));
  const Program program("examples/sentiment/" + name, arguments, folder);
  EXPECT_EQ(program.wait(), 0) << program.err();
  const std::string out = program.out();
  const size_t end = out.find(" % of the sentences");
  if (end == std::string::npos) {
    ADD_FAILURE() << out;
    return 0;
  }
  return std::stod(out.substr(out.rfind(' ', end - 1)));
}

TEST(SentimentLongTest, RecursiveNetworksLabelReviews) {
  EXPECT_GT(accuracy("train_sentiment"), 95);
  EXPECT_GT(accuracy("train_recursive_minibatch"), 95);
  EXPECT_GT(accuracy("train_recursive_minibatch", {"--model=tree_lstm"}), 95);
}

TEST(SentimentLongTest, ABagOfWordsDoesNot) {
  EXPECT_LT(accuracy("train_recursive_minibatch",
                     {"--model=bag_of_words", "--epoch=100"}),
            60);
}

}  // namespace
