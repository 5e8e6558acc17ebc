// Runs the program as a user would, with a tiny model.

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
using ::testing::HasSubstr;

class GptTest : public ProgramsTest {
 protected:
  GptTest() : ProgramsTest("examples/gpt") {}
  std::string train(const std::string& out, int iterations,
                    const Arguments& more = {}) const {
    Arguments arguments = {"--layers=1",
                           "--heads=2",
                           "--units=16",
                           "--context=16",
                           "--batchsize=8",
                           "--interval=20",
                           "--text=" + file("text"),
                           "--start=a b",
                           "--out=" + file(out),
                           "--iteration=" + std::to_string(iterations)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run("train_char", arguments);
  }
  nlohmann::json log(const std::string& out) const {
    return nlohmann::json::parse(read_file(file(out + "/log")));
  }
  void write_text() const {
    std::string text;
    for (int i = 0; i < 300; ++i) text += "a b c abc ";
    catena::testing::write_file(file("text"), text);
  }
};

TEST_F(GptTest, LearnsATextAndWritesInIt) {
  write_text();
  EXPECT_THAT(train("result", 600, {"--lr=0.01", "--interval=60", "--seed=1"}),
              HasSubstr("4 characters"));
  const auto entries = log("result");
  ASSERT_EQ(entries.size(), 10u);
  // From log(4) to almost nothing, since the text repeats itself.
  EXPECT_GT(entries.front()["main/loss"].get<double>(), 0.6);
  EXPECT_LT(entries.back()["validation/main/loss"].get<double>(), 0.15);
  EXPECT_NEAR(entries.back()["lr"].get<double>(), 0.001, 1e-4);
  const std::string texts = read_file(file("result/texts.txt"));
  EXPECT_THAT(texts, HasSubstr("--- 600\na b c abc a b c abc a b c abc "));
  EXPECT_THAT(read_file(file("result/report.html")),
              HasSubstr("<h3>Iteration 600</h3>\n<pre>a b c abc "));
  for (const char* name :
       {"model.npz", "snapshot_iter_600", "snapshot_iter_540"}) {
    EXPECT_TRUE(std::filesystem::exists(file("result/") + name)) << name;
  }
}

TEST_F(GptTest, ResumedItEndsWithTheSameBits) {
  write_text();
  const Arguments dropout = {"--dropout=0.2"};
  train("whole", 40, dropout);
  train("parts", 40, dropout);
  std::filesystem::remove(file("parts/snapshot_iter_40"));
  train("parts", 40, {"--dropout=0.2", "--resume=latest"});
  EXPECT_EQ(read_file(file("parts/model.npz")),
            read_file(file("whole/model.npz")));
  EXPECT_EQ(read_file(file("parts/texts.txt")),
            read_file(file("whole/texts.txt")));
}

TEST_F(GptTest, RefusesATextThatIsTooShort) {
  catena::testing::write_file(file("text"), "a b c");
  expect_failure("train_char", {"--text=" + file("text")},
                 "expected more than 640 tokens");
  expect_failure("train_char", {"--text=" + file("nowhere")},
                 "cannot read " + file("nowhere"));
}

}  // namespace
