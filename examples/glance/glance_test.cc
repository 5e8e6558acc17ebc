// Runs the program as a user would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "catena/tests/support/program.h"
#include "catena/tests/support/program_checks.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::expect_error_line;
using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class GlanceTest : public ::testing::Test {
 protected:
  GlanceTest() {
    // Not the user's own files.
    setenv("CATENA_DATASET_ROOT", folder_.file("sets").c_str(), 1);
  }
  Program start(Program::Arguments arguments) const {
    arguments.push_back("--out=" + folder_.file("result"));
    return Program("examples/glance/glance", arguments, folder_);
  }
  double last_accuracy() const {
    return nlohmann::json::parse(read_file(folder_.file("result/log")))
        .back()["validation/main/accuracy"]
        .get<double>();
  }

  TempFolder folder_;
};

// Mushrooms with two properties; the second one determines the label.
void write_made_up_mushrooms(const std::string& file) {
  std::string text = "class,odor,color\n";
  for (int i = 0; i < 400; ++i) {
    text += i % 2 == 0 ? "e," : "p,";
    text += static_cast<char>('a' + i * 7 % 3);
    text += i % 2 == 0 ? ",w\n" : ",x\n";
  }
  write_file(file, text);
}

TEST_F(GlanceTest, TakesTumoursWhereThereAreNoMushroomsAndSaysSo) {
  const Program program = start({});
  ASSERT_EQ(program.wait(), 0) << program.err();
  EXPECT_THAT(program.out(),
              AllOf(HasSubstr("There is no file " +
                              folder_.file("sets/mushrooms/mushrooms.csv") +
                              ": training on tumours"),
                    ::testing::ContainsRegex(
                        "Predicted (malignant|benign), actual (mal|ben)")));
  EXPECT_GE(last_accuracy(), 0.9);
  EXPECT_THAT(read_file(folder_.file("result/cg.dot")), HasSubstr("digraph"));
}

TEST_F(GlanceTest, ReadsMushrooms) {
  const std::string root = folder_.file("sets/mushrooms");
  std::filesystem::create_directories(root);
  write_made_up_mushrooms(root + "/mushrooms.csv");
  const Program program = start({"--epoch=200"});
  ASSERT_EQ(program.wait(), 0) << program.err();
  EXPECT_THAT(program.out(), AllOf(Not(HasSubstr("There is no file")),
                                   HasSubstr("Predicted ")));
  EXPECT_EQ(last_accuracy(), 1);
}

// Chainer reaches 0.9817 after its 50 epochs.
TEST_F(GlanceTest, TellsRealMushroomsApart) {
  const char* file = getenv("CATENA_MUSHROOMS");
  if (file == nullptr) {
    GTEST_SKIP() << "CATENA_MUSHROOMS does not name the file mushrooms.csv "
                    "(--test_env=CATENA_MUSHROOMS=...)";
  }
  const Program program = start({std::string("--mushrooms=") + file});
  ASSERT_EQ(program.wait(), 0) << program.err();
  EXPECT_GE(last_accuracy(), 0.98);
}

TEST_F(GlanceTest, BadArgumentsAndDataAreOneClearLine) {
  const auto expect_failure = [&](const std::string& argument,
                                  const std::string& message) {
    const Program program = start({argument});
    expect_error_line(program, message);
  };
  expect_failure("--mushrooms=" + folder_.file("none"), folder_.file("none"));
  write_file(folder_.file("broken"), "no,mushrooms\n1,2\n");
  expect_failure("--mushrooms=" + folder_.file("broken"), "class");
  expect_failure("--batchsize=0", "flag 'batchsize'; expected an integer of");
}

}  // namespace
