#include "catena/examples/seq2seq/dates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catena/examples/seq2seq/sentences.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

using std::chrono::year;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::IsSubsetOf;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(DatesTest, ADateHasManyPhrasesWithItsWeekday) {
  EXPECT_THAT(
      phrases_of(year(1998) / 5 / 3),
      UnorderedElementsAre(
          "the third of May 1998", "the third of May nineteen ninety-eight",
          "the 3rd of May 1998", "the 3rd of May nineteen ninety-eight",
          "3 May 1998", "3 May nineteen ninety-eight", "May 3, 1998",
          "May 3, nineteen ninety-eight", "May 3rd, 1998",
          "May 3rd, nineteen ninety-eight", "May the third, 1998",
          "May the third, nineteen ninety-eight",
          "the third day of May in the year 1998",
          "the third day of May in the year nineteen ninety-eight",
          "Sunday, the third of May 1998",
          "Sunday, the third of May nineteen ninety-eight",
          "Sunday, the 3rd of May 1998",
          "Sunday, the 3rd of May nineteen ninety-eight", "Sunday, 3 May 1998",
          "Sunday, 3 May nineteen ninety-eight", "Sunday, May 3, 1998",
          "Sunday, May 3, nineteen ninety-eight", "Sunday, May 3rd, 1998",
          "Sunday, May 3rd, nineteen ninety-eight",
          "Sunday, May the third, 1998",
          "Sunday, May the third, nineteen ninety-eight",
          "Sunday, the third day of May in the year 1998",
          "Sunday, the third day of May in the year nineteen ninety-eight"));
}

TEST(DatesTest, YearsAreReadAsPeopleDo) {
  const auto expect_year = [](int number, const std::string& words) {
    EXPECT_THAT(phrases_of(year(number) / 6 / 6), Contains("6 June " + words));
  };
  expect_year(1900, "nineteen hundred");
  expect_year(1905, "nineteen oh five");
  expect_year(1970, "nineteen seventy");
  expect_year(2000, "two thousand");
  expect_year(2009, "two thousand and nine");
  expect_year(2010, "twenty ten");
  expect_year(2099, "twenty ninety-nine");
}

TEST(DatesTest, OrdinalsHaveTheirEndings) {
  const auto expect_day = [](unsigned day, const std::string& text,
                             const std::string& digits) {
    const auto phrases = phrases_of(year(2001) / 1 / day);
    EXPECT_THAT(phrases, Contains("the " + text + " of January 2001"));
    EXPECT_THAT(phrases, Contains("January " + digits + ", 2001"));
  };
  expect_day(1, "first", "1st");
  expect_day(2, "second", "2nd");
  expect_day(11, "eleventh", "11th");
  expect_day(12, "twelfth", "12th");
  expect_day(13, "thirteenth", "13th");
  expect_day(20, "twentieth", "20th");
  expect_day(21, "twenty-first", "21st");
  expect_day(23, "twenty-third", "23rd");
  expect_day(30, "thirtieth", "30th");
  expect_day(31, "thirty-first", "31st");
}

TEST(DatesTest, SomeDaysHaveNames) {
  EXPECT_THAT(phrases_of(year(1999) / 12 / 24), Contains("Christmas Eve 1999"));
  EXPECT_THAT(phrases_of(year(1999) / 12 / 25),
              Contains("Saturday, Christmas Day 1999"));
  EXPECT_THAT(phrases_of(year(1999) / 12 / 31),
              Contains("New Year's Eve, 1999"));
  EXPECT_THAT(phrases_of(year(2000) / 1 / 1), Contains("New Year's Day 2000"));
  // 1900 was no leap year.
  EXPECT_THAT(phrases_of(year(1900) / 2 / 28),
              Contains("the last day of February 1900"));
  EXPECT_THAT(phrases_of(year(2000) / 2 / 28),
              Not(Contains(StartsWith("the last day"))));
  EXPECT_THAT(phrases_of(year(2000) / 2 / 29),
              Contains("Tuesday, the last day of February 2000"));
}

TEST(DatesTest, WritesACorpusWhoseValidationDatesAreNew) {
  const testing::TempFolder folder;
  const CorpusFiles files = write_dates(folder.file("dates"), 500, 100, 1);
  const auto sources = lines_of(files.source);
  const auto targets = lines_of(files.target);
  const auto new_sources = lines_of(files.validation_source);
  const auto new_targets = lines_of(files.validation_target);
  EXPECT_THAT(sources, SizeIs(500));
  EXPECT_THAT(targets, SizeIs(500));
  EXPECT_THAT(new_sources, SizeIs(100));
  for (const std::string& target : new_targets) {
    EXPECT_THAT(target, SizeIs(19));
    EXPECT_THAT(targets, Not(Contains(target)));
  }

  // Each pair belongs together.
  for (size_t i = 0; i < sources.size(); ++i) {
    std::string date = targets[i];
    std::erase(date, ' ');
    const auto phrases =
        phrases_of(year(std::stoi(date.substr(0, 4))) /
                   std::stoi(date.substr(5, 2)) / std::stoi(date.substr(8, 2)));
    const bool is_phrase =
        std::any_of(phrases.begin(), phrases.end(), [&](const auto& phrase) {
          return join(split_sentence(phrase)) == sources[i];
        });
    EXPECT_TRUE(is_phrase) << sources[i] << " is not " << targets[i];
  }
  EXPECT_THAT(lines_of(files.target_vocab),
              UnorderedElementsAre("-", "0", "1", "2", "3", "4", "5", "6", "7",
                                   "8", "9"));
  const auto vocabulary = lines_of(files.source_vocab);
  for (const std::string& source : sources) {
    std::istringstream words(source);
    for (std::string word; words >> word;) {
      ASSERT_THAT(vocabulary, Contains(word));
    }
  }
}

TEST(DatesTest, ASeedGivesTheSameDates) {
  const testing::TempFolder folder;
  const auto dates = [&](uint64_t seed) {
    return lines_of(write_dates(folder.file("dates"), 20, 5, seed).source);
  };
  EXPECT_EQ(dates(7), dates(7));
  EXPECT_NE(dates(7), dates(8));
}

}  // namespace
}  // namespace catena::examples
