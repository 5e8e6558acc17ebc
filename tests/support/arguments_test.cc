#include "catena/tests/support/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/tests/testing/error_of.h"

namespace catena::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

Numbers parse(const std::vector<std::string>& words) {
  return parse_numbers(
      words, {{"kills", 1, 1000},
              {.name = "hours", .least = 0.5, .most = 10, .is_whole = false}});
}

TEST(ArgumentsTest, NumbersHaveTheirNames) {
  EXPECT_THAT(parse({}), IsEmpty());
  EXPECT_THAT(parse({"--hours=0.5", "--kills=1000"}),
              ElementsAre(Pair("hours", 0.5), Pair("kills", 1000)));
}

TEST(ArgumentsTest, OtherWordsAreRefusedByName) {
  for (const std::string word : {"",
                                 "--",
                                 "kills",
                                 "--kills",
                                 "--kills=",
                                 "--kills=x",
                                 "--kills=0",
                                 "--kills=1.5",
                                 "--kills=1001",
                                 "--kills=7x",
                                 "--kills= 7",
                                 "--kills=-1",
                                 "--kills=nan",
                                 "--kills=inf",
                                 "-kills=5",
                                 "--Kills=5",
                                 "--kill=5",
                                 "--kills_=5",
                                 "--hours=0.4",
                                 "--hours=1e999",
                                 "--help",
                                 "more"}) {
    EXPECT_THAT(error_of<ArgumentError>([&] {
                  parse({"--hours=1", word});
                }),
                AllOf(HasSubstr("got '" + word + "'"),
                      HasSubstr("--kills=N, a whole number from 1 to 1000 "
                                "or --hours=N, a number from 0.5 to 10")))
        << word;
  }
}

TEST(ArgumentsTest, AWordIsOneOfTheList) {
  const std::vector<NumberArgument> accepted = {
      {.name = "format", .words = {"npy", "npz"}}};
  EXPECT_THAT(parse_numbers({"--format=npz"}, accepted),
              ElementsAre(Pair("format", 1)));
  for (const std::string word : {"--format=", "--format=np", "--format=1"}) {
    EXPECT_THAT(
        error_of<ArgumentError>([&] { parse_numbers({word}, accepted); }),
        HasSubstr("expected --format=npy|npz, got '" + word + "'"))
        << word;
  }
}

TEST(ArgumentsTest, ANameIsGivenOnce) {
  EXPECT_THAT(error_of<ArgumentError>([] {
                parse({"--kills=5", "--kills=6"});
              }),
              HasSubstr("--kills once, got '--kills=6'"));
}

}  // namespace
}  // namespace catena::testing
