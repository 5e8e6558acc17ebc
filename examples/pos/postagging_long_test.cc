// Trains with the default settings: some seconds.

#include <gtest/gtest.h>

#include <string>

#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::Program;
using ::catena::testing::TempFolder;

// Percentages of right tags in test sentences.
struct Result {
  double model = 0;
  double most_frequent = 0;
};

double number_after(const std::string& text, const std::string& before) {
  const size_t at = text.find(before);
  if (at == std::string::npos) {
    ADD_FAILURE() << text;
    return 0;
  }
  return std::stod(text.substr(at + before.size()));
}

Result train(Program::Arguments arguments) {
  const TempFolder folder;
  arguments.push_back("--out=" + folder.file("result"));
  const Program program("examples/pos/postagging", arguments, folder);
  EXPECT_EQ(program.wait(), 0) << program.err();
  return {number_after(program.out(), "Test: "),
          number_after(program.out(), "most frequent tag ")};
}

TEST(PostaggingLongTest, ACrfIsAheadOfTaggersOfSingleWords) {
  const Result crf = train({});
  // With transition costs 0, a CRF is a softmax for each word.
  const Result softmax = train({"--notransitions"});
  EXPECT_GT(crf.model, 97);
  EXPECT_GT(crf.model, crf.most_frequent + 3);
  EXPECT_GT(crf.model, softmax.model + 3);
  EXPECT_NEAR(softmax.model, softmax.most_frequent, 1);
}

}  // namespace
