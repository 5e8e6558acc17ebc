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
using ::testing::HasSubstr;

class Seq2seqTest : public ProgramsTest {
 protected:
  Seq2seqTest() : ProgramsTest("examples/seq2seq") {}
  // The output of a small model; its results are in the folder `out`.
  std::string train(const std::string& out, Arguments arguments) const {
    arguments.insert(arguments.end(),
                     {"--out=" + file(out), "--unit=16", "--layer=1"});
    return run("seq2seq", arguments);
  }
  // The log without time-dependent values.
  nlohmann::json log(const std::string& out) const {
    return read_log(file(out + "/log"));
  }
  // Preprocesses a small corpus: numbers in words and in digits.
  Arguments make_corpus() const {
    const std::vector<std::string> digits{"one", "two", "three", "four"};
    std::string words, numbers;
    for (int i = 0; i < 320; ++i) {
      words += digits[i % 4] + ", " + digits[i / 4 % 4] + "!\n";
      numbers += std::string(1, "abcd"[i % 4]) + "." + "abcd"[i / 4 % 4] + "\n";
    }
    write_file(file("en"), words + "one, two\n");
    write_file(file("fr"), numbers + "far too many words to be wanted\n");
    for (const std::string language : {"en", "fr"}) {
      run("wmt_preprocess",
          {"--in=" + file(language), "--out=" + file(language + ".words"),
           "--vocab_file=" + file(language + ".vocab")});
    }
    return {"--source=" + file("en.words"),
            "--target=" + file("fr.words"),
            "--source_vocab=" + file("en.vocab"),
            "--target_vocab=" + file("fr.vocab"),
            "--max_target_sentence=5",
            "--batchsize=16",
            "--log_interval=20"};
  }
};

TEST_F(Seq2seqTest, LearnsFromDatesAndTranslatesNewOnes) {
  const std::string out =
      train("dates", {"--epoch=2", "--batchsize=256", "--log_interval=50",
                      "--validation_interval=50"});
  EXPECT_THAT(out, HasSubstr("# training pairs: 12800\n"));
  EXPECT_THAT(out,
              HasSubstr("# validation pairs: 500\n# unknown words: 0% of"));
  EXPECT_THAT(
      out, ::testing::ContainsRegex("# source : .*[a-z]\n# result : .*[0-9]\n"
                                    "# expect : [12] [09] [0-9] [0-9] - [01]"));
  const auto entries = log("dates");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_LT(entries[1]["main/loss"],
            0.9 * entries[0]["main/loss"].get<double>());
  EXPECT_LT(entries[1]["validation/main/perp"],
            0.9 * entries[0]["validation/main/perp"].get<double>());
  EXPECT_GT(entries[1]["validation/main/bleu"], 0);
  EXPECT_EQ(entries[1]["validation/main/exact"], 0);
}

TEST_F(Seq2seqTest, LearnsFromPreprocessedFiles) {
  Arguments arguments = make_corpus();
  EXPECT_EQ(read_file(file("en.words")).substr(0, 26),
            "one , one !\ntwo , one !\nth");
  EXPECT_EQ(read_file(file("en.vocab")).substr(0, 4), ",\n!\n");
  arguments.push_back("--epoch=6");
  const std::string out = train("memory", arguments);
  // Without the long sentence.
  EXPECT_THAT(out, HasSubstr("# training pairs: 320\n"));
  const auto entries = log("memory");
  EXPECT_LT(entries.back()["main/loss"],
            0.8 * entries.front()["main/loss"].get<double>());

  // The same, but from sentences that are read on demand.
  arguments.push_back("--use_dataset_api");
  EXPECT_THAT(train("streamed", arguments),
              HasSubstr("# training pairs: 320\n"));
  EXPECT_EQ(log("streamed"), entries);
}

TEST_F(Seq2seqTest, ContinuesFromASnapshot) {
  Arguments arguments = make_corpus();
  arguments.insert(arguments.end(), {"--validation_source=" + file("en.words"),
                                     "--validation_target=" + file("fr.words"),
                                     "--validation_interval=20"});
  const auto with = [&](const std::string& flag) {
    Arguments all = arguments;
    all.push_back(flag);
    return all;
  };
  train("whole", with("--epoch=4"));
  train("parts", with("--epoch=2"));
  EXPECT_TRUE(std::filesystem::exists(file("parts/snapshot_iter_40")));
  arguments.push_back("--epoch=4");
  train("parts", with("--resume=latest"));
  EXPECT_EQ(log("parts"), log("whole"));

  train("saved", with("--save=" + file("end.npz")));
  arguments.back() = "--epoch=6";
  train("saved", with("--resume=" + file("end.npz")));
  train("whole", arguments);
  EXPECT_EQ(log("saved"), log("whole"));
}

TEST_F(Seq2seqTest, PreprocessesTextAndCountsWords) {
  write_file(file("in"), "It\u2019s 12:30, \u00c9mile!\n\nit IS.\n");
  EXPECT_EQ(
      run("wmt_preprocess", {"--in=" + file("in"), "--out=" + file("out")}),
      "number of tokens: 12\n");
  EXPECT_EQ(read_file(file("out")),
            "It ' s 00 : 00 , \u00c9mile !\n\nit IS .\n");
  EXPECT_EQ(run("wmt_preprocess",
                {"--in=" + file("in"), "--out=" + file("out"), "--lower",
                 "--vocab_file=" + file("vocab"), "--vocab_size=3"}),
            "number of tokens: 12\nnumber of words: 3\n");
  EXPECT_EQ(read_file(file("out")),
            "it ' s 00 : 00 , \u00e9mile !\n\nit is .\n");
  EXPECT_EQ(read_file(file("vocab")), "it\n00\n'\n");
}

TEST_F(Seq2seqTest, BadArgumentsAreOneClearLine) {
  write_file(file("one"), "a\n");
  write_file(file("two"), "a\nb\n");
  expect_failure("seq2seq", {"--epoch=0"}, "flag 'epoch'");
  expect_failure("seq2seq", {"--source=" + file("one")},
                 "expected --source, --target, --source_vocab and "
                 "--target_vocab: corpora are at http://www.statmt.org/wmt15/");
  expect_failure(
      "seq2seq",
      {"--source=" + file("one"), "--target=" + file("one"),
       "--source_vocab=" + file("none"), "--target_vocab=" + file("one")},
      file("none"));
  expect_failure(
      "seq2seq",
      {"--source=" + file("one"), "--target=" + file("one"),
       "--source_vocab=" + file("one"), "--target_vocab=" + file("one"),
       "--validation_source=" + file("one")},
      "both --validation_source and --validation_target");
  expect_failure("wmt_preprocess", {}, "expected --in=CORPUS --out=FILE");
  expect_failure("wmt_preprocess",
                 {"--in=" + file("none"), "--out=" + file("out")},
                 file("none"));
  expect_failure("wmt_preprocess",
                 {"--in=" + file("one"), "--out=" + file("no/out")},
                 "cannot write " + file("no/out"));
}

}  // namespace
