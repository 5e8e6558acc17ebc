#include "catena/examples/sentiment/treebank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(ParseTreeTest, ListsChildrenBeforeParents) {
  Vocabulary vocabulary;
  const Tree tree =
      parse_tree("(3 (2 (2 the) (2 film)) (4 (2 is) (1 the)))", 5, vocabulary);
  EXPECT_THAT(tree.words, ElementsAre(0, 1, -1, 2, 0, -1, -1));
  EXPECT_THAT(tree.left, ElementsAre(-1, -1, 0, -1, -1, 3, 2));
  EXPECT_THAT(tree.right, ElementsAre(-1, -1, 1, -1, -1, 4, 5));
  EXPECT_THAT(tree.labels, ElementsAre(2, 2, 2, 2, 1, 4, 3));
  EXPECT_EQ(tree.text, "the film is the");
  EXPECT_THAT(vocabulary,
              ElementsAre(Pair("film", 1), Pair("is", 2), Pair("the", 0)));
}

TEST(ParseTreeTest, TakesOneWordNumbersAndAnyBlanks) {
  Vocabulary vocabulary;
  EXPECT_THAT(parse_tree("(0 -LRB-)", 5, vocabulary).words, ElementsAre(0));
  const Tree tree = parse_tree("\t( 1(0 1/2)\t(2  3 ))  ", 3, vocabulary);
  EXPECT_EQ(tree.text, "1/2 3");
  EXPECT_THAT(tree.labels, ElementsAre(0, 2, 1));
}

TEST(ParseTreeTest, SaysWhereWhatWasExpected) {
  const auto expect_error = [](const std::string& line,
                               const std::string& message) {
    Vocabulary vocabulary;
    EXPECT_THAT(error_of<ValueError>([&] { parse_tree(line, 5, vocabulary); }),
                message)
        << line;
  };
  expect_error("", "column 1: expected '(', got the end of the line");
  expect_error("  ", "column 3: expected '(', got the end of the line");
  expect_error("good", "column 1: expected '(', got 'good'");
  expect_error(")", "column 1: expected '(', got ')'");
  // Unbalanced parentheses.
  expect_error("(2",
               "column 3: expected a word or '(', got the end of the line");
  expect_error("(2 good", "column 8: expected ')', got the end of the line");
  expect_error("(2 (2 a) (2 b)",
               "column 15: expected ')', got the end of the line");
  expect_error("(2 (2 a)",
               "column 9: expected '(' of the second child, got the end of the "
               "line");
  expect_error("(2 good))", "column 9: expected the end of the line, got ')'");
  expect_error("(2 a) (2 b)",
               "column 7: expected the end of the line, got '('");
  // Nodes with too few or too many parts.
  expect_error("(2 )", "column 4: expected a word or '(', got ')'");
  expect_error("(2 (2 a))",
               "column 9: expected '(' of the second child, got ')'");
  expect_error("(2 (2 a) b)",
               "column 10: expected '(' of the second child, got 'b'");
  expect_error("(2 (2 a) (2 b) (2 c))", "column 16: expected ')', got '('");
  expect_error("(2 very good)", "column 9: expected ')', got 'good'");
  expect_error("(2 very (2 good))", "column 9: expected ')', got '('");
  // Labels.
  expect_error("()", "column 2: expected a label from 0 to 4, got ')'");
  expect_error("((2 a) (2 b))",
               "column 2: expected a label from 0 to 4, got '('");
  expect_error("(",
               "column 2: expected a label from 0 to 4, got the end of "
               "the line");
  for (const std::string label :
       {"good", "5", "-1", "+1", "2.0", "2x", "99999999999"}) {
    expect_error("(" + label + " a)",
                 "column 2: expected a label from 0 to 4, got '" + label + "'");
  }
}

TEST(ParseTreeTest, DepthNeedsNoStack) {
  constexpr int kDepth = 1'000'000;
  std::string line;
  for (int i = 0; i < kDepth; ++i) line += "(1 (0 a) ";
  line += "(2 b)";
  Vocabulary vocabulary;
  EXPECT_THAT(error_of<ValueError>([&] { parse_tree(line, 5, vocabulary); }),
              HasSubstr("expected ')'"));
  const Tree tree = parse_tree(line + std::string(kDepth, ')'), 5, vocabulary);
  EXPECT_EQ(tree.words.size(), 2u * kDepth + 1);
  EXPECT_EQ(tree.left.back(), 0);
  EXPECT_EQ(tree.right.back(), 2 * kDepth - 1);
  EXPECT_THAT(error_of<ValueError>(
                  [&] { parse_tree(std::string(kDepth, '('), 5, vocabulary); }),
              HasSubstr("column 2: expected a label"));
}

class ReadTreesTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    write_file(folder_.file(name), text);
    return folder_.file(name);
  }

  TempFolder folder_;
  Vocabulary vocabulary_;
};

TEST_F(ReadTreesTest, OnePerLine) {
  const std::string file = write("a", "(1 a)\r\n\n(2 (0 b) (1 a))");
  const std::vector<Tree> trees = read_trees(file, 3, vocabulary_);
  ASSERT_EQ(trees.size(), 2u);
  EXPECT_EQ(trees[0].text, "a");
  EXPECT_THAT(trees[1].words, ElementsAre(1, 0, -1));
  EXPECT_EQ(read_trees(file, 3, vocabulary_, 1).size(), 1u);
}

TEST_F(ReadTreesTest, NamesFileAndLine) {
  const std::string file = write("a", "(1 a)\n\n(1 (0 b)\n");
  EXPECT_THAT(error_of<IoError>([&] { read_trees(file, 3, vocabulary_); }),
              "read_trees: '" + file +
                  "': line 3, column 9: expected '(' of the second child, got "
                  "the end of the line");
  const std::string empty = write("empty", "\n");
  EXPECT_THAT(error_of<IoError>([&] { read_trees(empty, 3, vocabulary_); }),
              "read_trees: '" + empty + "': expected trees, got none");
  EXPECT_THAT(error_of<IoError>(
                  [&] { read_trees(folder_.file("none"), 3, vocabulary_); }),
              HasSubstr(folder_.file("none")));
}

TEST_F(ReadTreesTest, ATreebankHasThreeFilesAndOneVocabulary) {
  write("train.txt", "(1 a)\n(0 b)\n");
  write("dev.txt", "(1 b)\n");
  EXPECT_THAT(error_of<IoError>([&] { load_treebank(folder_.path(), 2); }),
              AllOf(HasSubstr("in '" + folder_.path() + "', found no test.txt"),
                    HasSubstr("get them from https://nlp.stanford.edu")));
  write("test.txt", "(1 c)\n(1 a)\n(1 d)\n");
  const Treebank bank = load_treebank(folder_.path(), 2, 2);
  EXPECT_EQ(bank.train.size(), 2u);
  EXPECT_THAT(bank.dev[0].words, ElementsAre(1));
  EXPECT_THAT(bank.test[0].words, ElementsAre(2));
  EXPECT_EQ(bank.test.size(), 2u);
  EXPECT_EQ(bank.vocabulary.size(), 3u);
}

TEST(TreebankTest, ReviewsAreMadeUpWithoutAFolder) {
  const Treebank bank = load_treebank("", 5);
  EXPECT_EQ(bank.train.size(), 2000u);
  EXPECT_EQ(bank.dev.size(), 500u);
  EXPECT_EQ(bank.test.size(), 500u);
  EXPECT_EQ(load_treebank("", 5, 10).test.size(), 10u);
  EXPECT_THAT(error_of<ValueError>([] { load_treebank("", 4); }),
              HasSubstr("--label: expected at least 5"));
}

TEST(TreeExamplesTest, HaveTheFieldsOfATree) {
  Vocabulary vocabulary;
  const auto examples =
      tree_examples({parse_tree("(3 (2 a) (1 b))", 5, vocabulary)});
  ASSERT_EQ(examples.size(), 1u);
  const auto field = [&](int i) { return examples[0][i].to_vector<int32_t>(); };
  EXPECT_THAT(field(0), ElementsAre(0, 1, -1));
  EXPECT_THAT(field(1), ElementsAre(-1, -1, 0));
  EXPECT_THAT(field(2), ElementsAre(-1, -1, 1));
  EXPECT_THAT(field(3), ElementsAre(2, 1, 3));
}

}  // namespace
}  // namespace catena::examples
