// Runs both programs as a user would, on the first words of the text.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "catena/tests/support/program.h"
#include "catena/tests/support/program_checks.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::Program;
using ::catena::testing::ProgramsTest;
using ::catena::testing::read_file;
using ::catena::testing::runfile;
using ::catena::testing::write_file;
using ::testing::StartsWith;

// Five words in a plane; the lengths of their vectors do not matter.
constexpr char kVectors[] =
    "5 2\n"
    "east 1 0\n"
    "southeast 2 -2\n"
    "northeast 3 3.3\n"
    "west -0.5 0\n"
    "north 0 1\n";

class Word2vecTest : public ProgramsTest {
 protected:
  Word2vecTest() : ProgramsTest("examples/word2vec") {}
  std::string train(int epochs, const Arguments& more = {}) const {
    Arguments arguments = {"--test", "--unit=10", "--out=" + file("result"),
                           "--epoch=" + std::to_string(epochs)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run("train_word2vec", arguments);
  }
  nlohmann::json log() const {
    return nlohmann::json::parse(read_file(file("result/log")));
  }
};

TEST_F(Word2vecTest, EachModelLearnsWithEachLoss) {
  for (const std::string model : {"skipgram", "cbow"}) {
    for (const std::string out_type : {"hsm", "ns", "original"}) {
      SCOPED_TRACE(model + " " + out_type);
      train(100, {"--model=" + model, "--out_type=" + out_type});
      const auto entries = log();
      ASSERT_EQ(entries.size(), 100u);
      EXPECT_LT(entries.back()["main/loss"].get<double>(),
                entries.front()["main/loss"].get<double>() * 0.99);
      // Also for words that were not trained: at most about ln 4842.
      EXPECT_LT(entries.back()["validation/main/loss"].get<double>(), 9);
    }
  }
}

TEST_F(Word2vecTest, VectorsAreWrittenAsText) {
  train(1);
  std::istringstream lines(read_file(file("result/word2vec.model")));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "4842 10");
  int count = 0;
  for (; std::getline(lines, line); ++count) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ' '), 10) << line;
  }
  EXPECT_EQ(count, 4842);
  EXPECT_THAT(run("search", {"--model=" + file("result/word2vec.model"),
                             "First_Citizen:"}),
              StartsWith("query: First_Citizen:\n"));
}

TEST_F(Word2vecTest, TrainingGoesOnAfterItsLastSnapshot) {
  train(10);
  const auto before = log();
  train(20, {"--resume=latest"});
  const auto after = log();
  ASSERT_EQ(after.size(), 20u);
  EXPECT_EQ(after[9], before[9]);
  // As if it had not been stopped.
  std::filesystem::remove_all(file("result"));
  train(20);
  EXPECT_EQ(log()[19]["main/loss"], after[19]["main/loss"]);
}

TEST_F(Word2vecTest, SearchFindsTheNearestByCosine) {
  const std::string file = folder_.file("vectors");
  write_file(file, kVectors);
  EXPECT_EQ(run("search", {"--model=" + file, "--n_result=2", "east", "up"}),
            "query: east\n"
            "0.707 southeast\n"
            "0.673 northeast\n"
            "\"up\" is not found\n");
  EXPECT_EQ(run("search", {"--model=" + file, "west"}),
            "query: west\n"
            "0.000 north\n"
            "-0.673 northeast\n"
            "-0.707 southeast\n"
            "-1.000 east\n");
}

TEST_F(Word2vecTest, SearchAsksForWords) {
  const std::string file = folder_.file("vectors");
  write_file(file, kVectors);
  const Program search =
      start("search", {"--n_result=1", "--model=" + file}, "north\nup\n");
  EXPECT_EQ(search.wait(), 0) << search.err();
  EXPECT_EQ(search.out(),
            ">> query: north\n"
            "0.740 northeast\n"
            ">> \"up\" is not found\n"
            ">> \n");
}

TEST_F(Word2vecTest, BadArgumentsAreOneClearLine) {
  expect_failure("train_word2vec", {"--dataset=cats"},
                 "expected shakespeare or ptb, got 'cats'");
  expect_failure("train_word2vec",
                 {"--dataset=ptb", "--data_dir=" + file("none")},
                 "expected 'ptb.train.txt' in '");
  expect_failure("train_word2vec", {"--model=glove"},
                 "--model: expected skipgram or cbow, got 'glove'");
  expect_failure("train_word2vec", {"--out_type=softmax"},
                 "--out_type: expected hsm, ns or original, got 'softmax'");
  expect_failure("train_word2vec", {"--window=0"}, "flag 'window'");
  expect_failure("train_word2vec", {"--test", "--window=50"},
                 "more than 2 * window words");
  expect_failure("train_word2vec", {"vectors"},
                 "expected flags like --name=value, got 'vectors'");
  const std::string file = folder_.file("vectors");
  expect_failure("search", {"--model=" + file}, "cannot read");
  for (const std::string text :
       {"", "2 2\neast 1 0\n", "1 2\neast 1\n", "1 2\neast 1 0 0\n",
        "1 0\neast\n", "1 2\neast 1 x\n"}) {
    write_file(file, text);
    expect_failure("search", {"--model=" + file, "east"},
                   "expected the numbers of words and units");
  }
}

}  // namespace
