// Runs both programs as a user would, on the first words of the text.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "catena/tests/support/program_checks.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::ProgramsTest;
using ::catena::testing::read_file;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PtbTest : public ProgramsTest {
 protected:
  PtbTest() : ProgramsTest("examples/ptb") {}
  // Seven epochs are an iteration.
  std::string train(int epochs, const std::string& more = "--seed=0") const {
    return run("train_ptb", {"--test", "--unit=20", "--out=" + file("result"),
                             "--epoch=" + std::to_string(epochs), more});
  }
  nlohmann::json log() const {
    return nlohmann::json::parse(read_file(file("result/log")));
  }
};

TEST_F(PtbTest, TheLanguageModelLearnsAndIsSaved) {
  EXPECT_THAT(train(7 * 30), HasSubstr("\ntest perplexity: "));
  const auto entries = log();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_LT(entries.back()["perplexity"].get<double>(),
            entries.front()["perplexity"].get<double>() / 2);
  EXPECT_EQ(entries.back()["iteration"].get<int>(), 30);
  EXPECT_GT(entries.back()["val_perplexity"].get<double>(), 1);
  for (const char* name : {"model.npz", "vocabulary.txt", "model_iter_30",
                           "model_iter_29", "snapshot_iter_30"}) {
    EXPECT_TRUE(std::filesystem::exists(file("result/") + name));
  }
  EXPECT_FALSE(std::filesystem::exists(file("result/model_iter_28")));
}

TEST_F(PtbTest, TrainingGoesOnAfterItsLastSnapshot) {
  train(7 * 20);
  const auto before = log();
  train(7 * 30, "--resume=latest");
  const auto after = log();
  ASSERT_EQ(after.size(), 3u);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_EQ(after[1], before[1]);
  EXPECT_EQ(after[2]["iteration"].get<int>(), 30);
  EXPECT_LT(after[2]["perplexity"].get<double>(),
            after[1]["perplexity"].get<double>());
}

TEST_F(PtbTest, GentxtWritesATextFromAWord) {
  train(7);
  const Arguments arguments = {"--model=" + file("result/model.npz"),
                               "--unit=20", "--primetext=ROMEO:"};
  const std::string text = run("gentxt", arguments);
  EXPECT_THAT(text, StartsWith("ROMEO:"));
  EXPECT_GE(std::count_if(text.begin(), text.end(),
                          [](char c) { return c == ' ' || c == '\n'; }),
            10);
  EXPECT_EQ(run("gentxt", arguments), text);
  const auto with = [&](const std::string& more) {
    Arguments changed = arguments;
    changed.push_back(more);
    return run("gentxt", changed);
  };
  EXPECT_NE(with("--seed=1"), text);
  EXPECT_GT(with("--length=100").size(), text.size());
  EXPECT_THAT(with("--primetext=First Citizen:"), StartsWith("First Citizen:"));
  EXPECT_EQ(with("--length=0"), "ROMEO:\n");
  EXPECT_THAT(with("--sample=0"), StartsWith("ROMEO:"));
  EXPECT_THAT(with("--model=" + file("result/model_iter_1")),
              StartsWith("ROMEO:"));
}

TEST_F(PtbTest, BadArgumentsAreOneClearLine) {
  expect_failure("train_ptb", {"--dataset=cats"},
                 "expected shakespeare or ptb, got 'cats'");
  expect_failure("train_ptb", {"--dataset=ptb", "--data_dir=" + file("none")},
                 "expected 'ptb.train.txt' in '");
  for (const std::string flag : {"batchsize", "bproplen", "epoch", "unit"}) {
    expect_failure("train_ptb", {"--" + flag + "=0"},
                   "flag '" + flag + "'; expected an integer of at least 1");
  }
  expect_failure("train_ptb", {"--gradclip=0", "--out=" + file("result")},
                 "GradientClipping");
  expect_failure("gentxt", {"--model=" + file("none/model.npz")},
                 "vocabulary.txt; train_ptb writes it");
  expect_failure("gentxt", {"--length=-1"}, "flag 'length'");
  train(7);
  const std::string model = "--model=" + file("result/model.npz");
  expect_failure("gentxt", {model, "--unit=20", "--primetext=xyzzy"},
                 "expected a word of ");
  expect_failure("gentxt", {model, "--unit=30"}, "expected float32 of shape");
}

}  // namespace
