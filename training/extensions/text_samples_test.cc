#include "catena/training/extensions/text_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/npz.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::read_file;
using testing::ScriptedTraining;
using testing::TempFolder;

// Writes the number of the iteration after each.
void prepare(ScriptedTraining& training, TextSamplesOptions options = {}) {
  static std::ostringstream ignored;
  if (options.out == nullptr) options.out = &ignored;
  training.trainer.extend(
      TextSamples(
          [&] { return str("line\n", training.trainer.updater().iteration()); },
          options),
      {.trigger = training::AnyTrigger(1, "iteration")});
}

std::string texts_of(const ScriptedTraining& training) {
  return read_file(training.trainer.out_path("texts.txt"));
}

TEST(TextSamplesTest, PrintsEachAndWritesAll) {
  std::ostringstream out;
  ScriptedTraining training({2, "iteration"});
  prepare(training, {.out = &out});
  training.trainer.run();
  EXPECT_EQ(out.str(), "line\n1\nline\n2\n");
  EXPECT_EQ(texts_of(training), "--- 1\nline\n1\n--- 2\nline\n2\n");
}

TEST(TextSamplesTest, PrintsNothingUnlessAsked) {
  std::ostringstream out;
  ScriptedTraining training({2, "iteration"});
  prepare(training, {.out = &out, .print = false});
  training.trainer.run();
  EXPECT_EQ(out.str(), "");
}

TEST(TextSamplesTest, RunsAfterEachEpoch) {
  ScriptedTraining training({6, "iteration"}, 3);
  training.trainer.extend(TextSamples([] { return "text"; }, {.print = false}));
  training.trainer.run();
  const auto& samples = training.trainer.get_extension<TextSamples>().samples();
  ASSERT_EQ(samples.size(), 2);
  EXPECT_EQ(samples[0].iteration, 3);
  EXPECT_EQ(samples[1].iteration, 6);
}

TEST(TextSamplesTest, KeepsTheLastOnes) {
  ScriptedTraining training({5, "iteration"});
  prepare(training, {.file_name = "few.txt", .max_samples = 2});
  training.trainer.run();
  EXPECT_EQ(read_file(training.trainer.out_path("few.txt")),
            "--- 4\nline\n4\n--- 5\nline\n5\n");
}

TEST(TextSamplesTest, AResumedRunEndsWithTheSameFile) {
  const TempFolder folder;
  ScriptedTraining whole({4, "iteration"});
  prepare(whole);
  whole.trainer.run();
  ScriptedTraining first({2, "iteration"});
  prepare(first);
  first.trainer.run();
  serializers::save_npz(folder.file("s"), first.trainer);
  ScriptedTraining second({4, "iteration"});
  prepare(second);
  serializers::load_npz(folder.file("s"), second.trainer);
  second.trainer.run();
  EXPECT_EQ(texts_of(second), texts_of(whole));
}

TEST(TextSamplesTest, ReplacesInvalidUtf8) {
  ScriptedTraining training({2, "iteration"});
  training.trainer.extend(
      TextSamples([] { return "a\xffz"; }, {.print = false}));
  training.trainer.run();
  EXPECT_EQ(texts_of(training), "--- 2\na\xef\xbf\xbdz\n");
}

TEST(TextSamplesTest, RefusesDamagedSnapshots) {
  const TempFolder folder;
  ScriptedTraining training({2, "iteration"});
  prepare(training);
  training.trainer.run();
  serializers::save_npz(folder.file("good"), training.trainer);
  const auto error = [&](const std::string& name,
                         const array::NpyValue& value) {
    auto entries = array::load_npz(folder.file("good"));
    entries.at("extensions/TextSamples/" + name) = value;
    array::savez(folder.file("bad"),
                 array::NpzItems(entries.begin(), entries.end()));
    ScriptedTraining other({2, "iteration"});
    prepare(other);
    const std::string text = error_of<IoError>(
        [&] { serializers::load_npz(folder.file("bad"), other.trainer); });
    EXPECT_TRUE(other.trainer.get_extension<TextSamples>().samples().empty());
    return text;
  };
  EXPECT_THAT(error("_texts", array::zeros({2})), HasSubstr("expected text"));
  EXPECT_THAT(error("_iterations", array::zeros({3}, Dtype::kInt64)),
              HasSubstr("expected int64 of shape (2,)"));
  EXPECT_THAT(error("_iterations", array::zeros({2}, Dtype::kFloat32)),
              HasSubstr("expected int64 of shape (2,)"));
}

TEST(TextSamplesTest, RefusesOptionsWithoutSense) {
  const auto write = [] { return std::string("text"); };
  EXPECT_THAT(error_of<ValueError>([] { TextSamples(nullptr); }),
              HasSubstr("TextSamples: expected a function, got none"));
  EXPECT_THAT(
      error_of<ValueError>([&] { TextSamples(write, {.file_name = ""}); }),
      HasSubstr("expected a file_name, got none"));
  EXPECT_THAT(
      error_of<ValueError>([&] { TextSamples(write, {.max_samples = 0}); }),
      HasSubstr("expected max_samples >= 1, got 0"));
}

}  // namespace
}  // namespace catena::training::extensions
