// Runs train_gpt, and fine_tune, generate and chat with the model that it
// saves, as a user would.

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
using ::catena::testing::write_file;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class LanguageModelTest : public ProgramsTest {
 protected:
  LanguageModelTest() : ProgramsTest("examples/gpt") {
    std::string text;
    for (int i = 0; i < 400; ++i) text += "ab cd ef. ";
    write_file(file("text"), text);
  }
  // A model that has learned the text.
  std::string train(const std::string& out, int iterations,
                    const Arguments& more = {}) const {
    Arguments arguments = {"--layers=1",
                           "--heads=2",
                           "--units=16",
                           "--context=32",
                           "--length=16",
                           "--batchsize=8",
                           "--vocabulary=270",
                           "--lr=0.02",
                           "--interval=100",
                           "--start=ab",
                           "--text=" + file("text"),
                           "--out=" + file(out),
                           "--iteration=" + std::to_string(iterations)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run("train_gpt", arguments);
  }
  double last_loss(const std::string& out) const {
    const auto log = nlohmann::json::parse(read_file(file(out + "/log")));
    return log.back()["validation/main/loss"].get<double>();
  }
};

TEST_F(LanguageModelTest, AModelThatIsTrainedIsContinuedWith) {
  EXPECT_THAT(train("result", 300), HasSubstr(" tokens, "));
  EXPECT_LT(last_loss("result"), 0.2);
  EXPECT_THAT(read_file(file("result/texts.txt")),
              HasSubstr("--- 300\nab cd ef. "));
  const std::string model = "--model=" + file("result/model");
  const std::string written =
      run("generate", {model, "--prompt=ab", "--max_tokens=12"});
  EXPECT_THAT(written, StartsWith("ab cd ef. ab"));
  // The same seed gives the same text, in 16 bits, too.
  const Arguments drawn = {
      model,          "--prompt=ab",       "--max_tokens=20",
      "--seed=3",     "--temperature=2.0", "--top_k=50",
      "--top_p=0.99", "--dtype=bfloat16"};
  EXPECT_EQ(run("generate", drawn), run("generate", drawn));
}

TEST_F(LanguageModelTest, FineTuningLearnsAnotherText) {
  train("result", 300);
  std::string text;
  for (int i = 0; i < 400; ++i) text += "ef cd ab. ";
  write_file(file("other"), text);
  const auto fine_tune = [&](const std::string& out, const Arguments& more) {
    Arguments arguments = {"--model=" + file("result/model"),
                           "--text=" + file("other"),
                           "--out=" + file(out),
                           "--length=16",
                           "--batchsize=8",
                           "--lr=0.02",
                           "--interval=100",
                           "--start=ef",
                           "--seed=0",
                           "--iteration=200"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    run("fine_tune", arguments);
    EXPECT_LT(last_loss(out), 0.4);
    EXPECT_THAT(run("generate", {"--model=" + file(out + "/model"),
                                 "--prompt=ef", "--max_tokens=12"}),
                HasSubstr("ef cd ab. ef"));
  };
  write_file(file("result/model/generation_config.json"),
             "{\"max_new_tokens\": 12}");
  fine_tune("updates", {"--lora=4"});
  EXPECT_THAT(read_file(file("updates/model/generation_config.json")),
              HasSubstr("\"max_new_tokens\": 12"));
  EXPECT_TRUE(std::filesystem::exists(file("updates/lora.npz")));
  fine_tune("all", {"--lora=0"});
  EXPECT_FALSE(std::filesystem::exists(file("all/lora.npz")));
}

TEST_F(LanguageModelTest, ResumedTrainingEndsWithTheSameFiles) {
  const Arguments dropout = {"--interval=20", "--dropout=0.2"};
  train("whole", 40, dropout);
  train("parts", 40, dropout);
  std::filesystem::remove(file("parts/snapshot_iter_40"));
  train("parts", 40, {"--interval=20", "--dropout=0.2", "--resume=latest"});
  for (const char* name : {"/model/model.safetensors", "/texts.txt"}) {
    EXPECT_EQ(read_file(file("parts") + name), read_file(file("whole") + name))
        << name;
  }
}

TEST_F(LanguageModelTest, AChatAnswersEachLine) {
  train("plain", 1);
  expect_failure("chat", {"--model=" + file("plain/model")},
                 "chatml, llama3 and gemma");
  train("chat", 20,
        {"--special_tokens=<|im_start|>,<|im_end|>", "--context=200"});
  const Arguments arguments = {"--model=" + file("chat/model"),
                               "--max_tokens=3", "--temperature=0",
                               "--system=a"};
  const std::string once = run("chat", arguments, "ab\n");
  ASSERT_THAT(once, StartsWith("> "));
  const std::string answer = once.substr(2, once.size() - 5);
  EXPECT_EQ(once, "> " + answer + "> \n");
  // After an empty line, the model knows nothing of what was said.
  EXPECT_EQ(run("chat", arguments, "ab\n\nab\n"),
            "> " + answer + "> > " + answer + "> \n");
  EXPECT_THAT(run("chat", arguments, "ab\ncd\n"), StartsWith("> " + answer));
}

TEST_F(LanguageModelTest, RefusesFlagsWithoutSense) {
  expect_failure("generate", {}, "--model: expected the folder of a model");
  expect_failure("generate", {"--model=" + file("nowhere")}, "config.json");
  expect_failure("train_gpt", {"--vocabulary=many"},
                 "--vocabulary: expected gpt2 or at least 257, got 'many'");
  expect_failure("train_gpt",
                 {"--text=" + file("text"), "--length=5000", "--vocabulary=270",
                  "--context=5000"},
                 "expected more than 50000 tokens");
  expect_failure("fine_tune", {"--text=" + file("text")},
                 "--model: expected the folder of a model");
}

}  // namespace
