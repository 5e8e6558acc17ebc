// Runs the program as a user would, with a tiny model of random weights.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/array/random/random.h"
#include "catena/links/model/pretrained.h"
#include "catena/tests/support/program_checks.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::ProgramsTest;
using ::catena::testing::read_file;
using ::catena::testing::runfile;
using ::catena::testing::write_file;
using ::testing::StartsWith;
namespace links = catena::links;

class GenerateTest : public ProgramsTest {
 protected:
  GenerateTest() : ProgramsTest("examples/gpt") { save(302); }
  void save(int64_t vocabulary) const {
    catena::array::random::seed(0);
    const links::Gpt2 model({.vocabulary = vocabulary,
                             .context = 16,
                             .units = 8,
                             .heads = 2,
                             .layers = 1});
    links::save_pretrained(model, file(""));
    write_file(
        file("tokenizer.json"),
        read_file(runfile("tests/golden/tokenizers/gpt2.tokenizer.json")));
  }
  std::string text(const Arguments& more = {}) const {
    Arguments arguments = {"--model=" + file(""), "--prompt=to be"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run("generate", arguments);
  }
};

TEST_F(GenerateTest, ContinuesThePrompt) {
  const std::string greedy = text({"--max_tokens=5"});
  EXPECT_THAT(greedy, StartsWith("to be"));
  EXPECT_EQ(text({"--max_tokens=5", "--temperature=0"}), greedy);
  EXPECT_EQ(text({"--max_tokens=0"}), "to be\n");
}

TEST_F(GenerateTest, TheSeedGivesTheText) {
  const Arguments one = {"--temperature=1", "--top_k=100", "--seed=1"};
  EXPECT_EQ(text(one), text(one));
  EXPECT_NE(text(one), text({"--temperature=1", "--top_k=100", "--seed=2"}));
}

TEST_F(GenerateTest, TheModelsSettingsHoldForFlagsThatAreNotGiven) {
  write_file(file("generation_config.json"), "{\"max_new_tokens\": 1}");
  const std::string one = text();
  EXPECT_EQ(text({"--max_tokens=1"}), one);
  EXPECT_NE(text({"--max_tokens=7"}), one);
  write_file(file("generation_config.json"),
             "{\"max_new_tokens\": 3, \"num_beams\": 2}");
  EXPECT_THAT(text(), StartsWith("to be"));
}

TEST_F(GenerateTest, RefusesWhatDoesNotFit) {
  expect_failure("generate", {"--prompt=a"},
                 "--model: expected the folder of a model");
  expect_failure("generate", {"--model=" + file("nowhere")}, "config.json");
  expect_failure("generate", {"--model=" + file(""), "--prompt="},
                 "expected 1 to 16 ids");
  save(301);
  expect_failure(
      "generate", {"--model=" + file(""), "--prompt=a"},
      "a tokenizer of at most 301 tokens, as the model has, got 302");
}

}  // namespace
