// Runs both programs as a user would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "catena/tests/support/program_checks.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::ProgramsTest;
using ::catena::testing::read_file;
using ::catena::testing::read_log;
using ::catena::testing::write_file;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class TextClassificationTest : public ProgramsTest {
 protected:
  // The label is the colour, wherever it is.
  TextClassificationTest() : ProgramsTest("examples/text_classification") {
    const std::string colours[] = {"red", "green", "blue"};
    std::string train, test;
    for (int i = 0; i < 240; ++i) {
      const std::string& colour = colours[i % 3];
      std::string words = "the " + std::string(i % 5, 'x') + " ";
      for (int j = 0; j < i % 7; ++j) words += "very ";
      (i < 180 ? train : test) +=
          colour + "s " + words + colour + (i % 2 ? " house\n" : "\n");
    }
    write_file(file("stsa.fine.train"), train);
    write_file(file("stsa.fine.test"), test);
  }
  // Trains a small model on the colours.
  std::string train(const std::string& out, Arguments arguments) const {
    arguments.insert(arguments.end(),
                     {"--dataset=stsa.fine", "--data_dir=" + folder_.path(),
                      "--unit=24", "--batchsize=10", "--out=" + file(out)});
    return run("train_text_classifier", arguments);
  }
  nlohmann::json log(const std::string& out) const {
    return read_log(file(out + "/log"));
  }
};

TEST_F(TextClassificationTest, EveryModelLearns) {
  for (const std::string model : {"cnn", "rnn", "bow"}) {
    EXPECT_THAT(train(model, {"--model=" + model, "--epoch=20"}),
                HasSubstr("# train data: 180\n# test data: 60\n"));
    const auto entries = log(model);
    ASSERT_EQ(entries.size(), 20u);
    EXPECT_LT(entries.back()["main/loss"].get<double>(),
              0.7 * entries.front()["main/loss"].get<double>())
        << model;
    EXPECT_GT(entries.back()["validation/main/accuracy"].get<double>(), 0.9)
        << model;
  }
}

TEST_F(TextClassificationTest, ReadsCharacters) {
  train("chars", {"--char_based", "--epoch=20"});
  const auto entries = log("chars");
  EXPECT_LT(entries.back()["main/loss"].get<double>(),
            entries.front()["main/loss"].get<double>() / 2);
  const auto vocabulary =
      nlohmann::json::parse(read_file(file("chars/vocab.json")));
  EXPECT_TRUE(vocabulary.contains("r"));
  EXPECT_FALSE(vocabulary.contains("red"));
}

// The probabilities of a line do not depend on the others in its minibatch: no
// window sees words of two lines.
TEST_F(TextClassificationTest, LabelsLines) {
  for (const std::string model : {"cnn", "rnn", "bow"}) {
    train("result", {"--model=" + model, "--epoch=20"});
    const std::string lines =
        "The very RED house\n\nthe green\nthe very very blue\nred\n";
    const auto label = [&](const std::string& batchsize) {
      return run("run_text_classifier",
                 {"--model_setup=" + file("result/args.json"),
                  "--batchsize=" + batchsize},
                 lines);
    };
    const std::string out = label("64");
    EXPECT_THAT(out, ContainsRegex("reds\t[01]\\.[0-9]{4}\tThe very RED house\n"
                                   "# blank line\n"
                                   "greens\t[01]\\.[0-9]{4}\tthe green\n"
                                   "blues\t[01]\\.[0-9]{4}\tthe very very blue"
                                   "\nreds\t[01]\\.[0-9]{4}\tred\n"))
        << model;
    EXPECT_EQ(label("1"), out) << model;
  }
}

TEST_F(TextClassificationTest, ResumesWhereItStopped) {
  train("whole", {"--epoch=6"});
  train("parts", {"--epoch=3"});
  train("parts", {"--epoch=6", "--resume=latest"});
  EXPECT_EQ(log("parts"), log("whole"));
  EXPECT_TRUE(std::filesystem::exists(file("parts/best_model.npz")));
}

TEST_F(TextClassificationTest, TheStepSizeFalls) {
  train("constant", {"--epoch=2"});
  train("falling", {"--epoch=2", "--final_alpha=0"});
  const auto constant = log("constant"), falling = log("falling");
  EXPECT_EQ(falling[0], constant[0]);
  EXPECT_GT(falling[1]["main/loss"], constant[1]["main/loss"]);
}

TEST_F(TextClassificationTest, BadArgumentsAreOneClearLine) {
  const std::string trainer = "train_text_classifier";
  expect_failure(trainer, {"--epoch=0"}, "flag 'epoch'");
  expect_failure(trainer, {"--model=lstm", "--out=" + file("a")},
                 "--model: expected cnn, rnn or bow, got 'lstm'");
  expect_failure(trainer, {"--dataset=books"}, "--dataset: expected");
  expect_failure(trainer, {"--dataset=TREC"}, "get it from https://cogcomp");
  expect_failure(trainer, {"--dropout=1"},
                 "--dropout: expected a number in [0, 1), got 1");
  expect_failure(trainer, {"--final_alpha=-1", "--out=" + file("a")},
                 "--final_alpha: expected at least 0, got -1");
  const std::string runner = "run_text_classifier";
  expect_failure(runner, {"--model_setup=" + file("none.json")},
                 "train_text_classifier writes it");
  write_file(file("broken.json"), "{");
  expect_failure(runner, {"--model_setup=" + file("broken.json")},
                 "expected a JSON object");
}

}  // namespace
