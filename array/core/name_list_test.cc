#include "catena/array/core/name_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace catena::array {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

TEST(ListNamesTest, ListsAFewInOrder) {
  EXPECT_EQ(list_names({}, "x"), "none");
  const std::vector<std::string> names = {"b", "a\n"};
  EXPECT_EQ(list_names(names, "x"), "'b', 'a\\x0a'");
}

TEST(ListNamesTest, SuggestsANameThatResemblesTheMissingOne) {
  const std::vector<std::string> names = {"l1", "encoder/W", "encoder/b"};
  EXPECT_EQ(suggest_name(names, "encodr/W"), "; did you mean 'encoder/W'?");
  EXPECT_EQ(suggest_name(names, "l2"), "; did you mean 'l1'?");
  EXPECT_EQ(suggest_name(names, "decoder_of_text"), "");
  EXPECT_EQ(suggest_name(names, "x"), "");
  EXPECT_EQ(suggest_name({}, "x"), "");
}

TEST(ListNamesTest, ListsTheMostSimilarOfMany) {
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) {
    names.push_back("layer" + std::to_string(i) + "/W");
  }
  names.push_back("encoder/bias");
  const std::string listed = list_names(names, "encoder/bais");
  EXPECT_THAT(listed, StartsWith("'encoder/bias', "));
  EXPECT_THAT(listed, EndsWith(" and 96 others"));
  EXPECT_THAT(list_names(names, "layer42/w"), StartsWith("'layer42/W', "));
}

}  // namespace
}  // namespace catena::array
