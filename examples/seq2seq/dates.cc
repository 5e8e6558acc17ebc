#include "catena/examples/seq2seq/dates.h"

#include <array>
#include <filesystem>
#include <random>
#include <set>

#include "catena/array/core/error.h"
#include "catena/examples/seq2seq/sentences.h"

namespace catena::examples {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::array kWeekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                               "Thursday", "Friday", "Saturday"};
constexpr std::array kMonths{"January",   "February", "March",    "April",
                             "May",       "June",     "July",     "August",
                             "September", "October",  "November", "December"};
constexpr std::array kNumbers{"",        "one",       "two",      "three",
                              "four",    "five",      "six",      "seven",
                              "eight",   "nine",      "ten",      "eleven",
                              "twelve",  "thirteen",  "fourteen", "fifteen",
                              "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array kTens{"",      "",      "twenty",  "thirty", "forty",
                           "fifty", "sixty", "seventy", "eighty", "ninety"};
constexpr std::array kOrdinals{
    "",          "first",     "second",      "third",      "fourth",
    "fifth",     "sixth",     "seventh",     "eighth",     "ninth",
    "tenth",     "eleventh",  "twelfth",     "thirteenth", "fourteenth",
    "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth"};

// 1 to 99 in words.
std::string number(unsigned n) {
  if (n < 20) return kNumbers.at(n);
  const std::string tens = kTens.at(n / 10);
  return n % 10 == 0 ? tens : str(tens, "-", kNumbers.at(n % 10));
}

// 1 to 31 in words.
std::string ordinal(unsigned n) {
  if (n <= 20) return kOrdinals.at(n);
  if (n == 30) return "thirtieth";
  return str(kTens.at(n / 10), "-", kOrdinals.at(n % 10));
}

// "3rd".
std::string short_ordinal(unsigned n) {
  const bool is_teen = n / 10 == 1;
  const std::string_view ending = is_teen       ? "th"
                                  : n % 10 == 1 ? "st"
                                  : n % 10 == 2 ? "nd"
                                  : n % 10 == 3 ? "rd"
                                                : "th";
  return str(n, ending);
}

std::string year_in_words(unsigned year) {
  const unsigned rest = year % 100;
  if (year == 2000) return "two thousand";
  if (year > 2000 && year < 2010) return str("two thousand and ", number(rest));
  const std::string century = number(year / 100);
  if (rest == 0) return str(century, " hundred");
  return str(century, rest < 10 ? " oh " : " ", number(rest));
}

// The characters of "1998-05-03".
std::vector<std::string> digits_of(const year_month_day& date) {
  const auto two = [](unsigned n) { return str(n / 10, n % 10); };
  const auto year = static_cast<unsigned>(static_cast<int>(date.year()));
  std::vector<std::string> characters;
  for (const char c : str(year, "-", two(static_cast<unsigned>(date.month())),
                          "-", two(static_cast<unsigned>(date.day())))) {
    characters.emplace_back(1, c);
  }
  return characters;
}

// A number in [0, n), the same with every standard library.
uint64_t below(uint64_t n, std::mt19937_64& random) { return random() % n; }

}  // namespace

std::vector<std::string> phrases_of(year_month_day date) {
  const auto d = static_cast<unsigned>(date.day());
  const auto m = static_cast<unsigned>(date.month());
  const auto y = static_cast<unsigned>(static_cast<int>(date.year()));
  const std::string month = kMonths.at(m - 1);
  const std::chrono::weekday weekday{sys_days(date)};

  std::vector<std::string> days{
      str("the ", ordinal(d), " of ", month),
      str("the ", short_ordinal(d), " of ", month),
      str(d, " ", month),
      str(month, " ", d, ","),
      str(month, " ", short_ordinal(d), ","),
      str(month, " the ", ordinal(d), ","),
      str("the ", ordinal(d), " day of ", month, " in the year")};
  if (m == 1 && d == 1) days.emplace_back("New Year's Day");
  if (m == 12 && d == 24) days.emplace_back("Christmas Eve");
  if (m == 12 && d == 25) days.emplace_back("Christmas Day");
  if (m == 12 && d == 31) days.emplace_back("New Year's Eve,");
  if (date == date.year() / date.month() / std::chrono::last) {
    days.push_back(str("the last day of ", month));
  }

  std::vector<std::string> phrases;
  for (const std::string& day : days) {
    for (const std::string& year : {std::to_string(y), year_in_words(y)}) {
      const std::string phrase = str(day, " ", year);
      phrases.push_back(phrase);
      phrases.push_back(str(kWeekdays.at(weekday.c_encoding()), ", ", phrase));
    }
  }
  return phrases;
}

CorpusFiles write_dates(const std::string& folder, int64_t train,
                        int64_t validation, uint64_t seed) {
  constexpr sys_days kFirst = std::chrono::year(1900) / 1 / 1;
  constexpr sys_days kLast = std::chrono::year(2099) / 12 / 31;
  constexpr uint64_t kTenths = (kLast - kFirst).count() / 10;

  std::filesystem::create_directories(folder);
  const auto file = [&](std::string_view name) {
    return str(folder, "/", name);
  };
  const CorpusFiles files{.source = file("train.words"),
                          .target = file("train.digits"),
                          .source_vocab = file("vocab.words"),
                          .target_vocab = file("vocab.digits"),
                          .validation_source = file("validation.words"),
                          .validation_target = file("validation.digits")};
  std::mt19937_64 random(seed);
  std::set<std::string> source_words, target_words;
  std::vector<std::string> sources, targets;
  const auto add = [&](uint64_t day) {
    const year_month_day date =
        kFirst + std::chrono::days(static_cast<int64_t>(day));
    const auto phrases = phrases_of(date);
    const auto words = split_sentence(phrases[below(phrases.size(), random)]);
    const auto digits = digits_of(date);
    source_words.insert(words.begin(), words.end());
    target_words.insert(digits.begin(), digits.end());
    sources.push_back(join(words));
    targets.push_back(join(digits));
  };
  // Every tenth day is for validation.
  for (int64_t i = 0; i < train; ++i) {
    const uint64_t tenth = below(kTenths, random);
    add(10 * tenth + below(9, random));
  }
  write_lines(files.source, sources);
  write_lines(files.target, targets);
  write_lines(files.source_vocab, {source_words.begin(), source_words.end()});
  write_lines(files.target_vocab, {target_words.begin(), target_words.end()});

  sources.clear(), targets.clear();
  for (int64_t i = 0; i < validation; ++i) add(10 * below(kTenths, random) + 9);
  write_lines(files.validation_source, sources);
  write_lines(files.validation_target, targets);
  return files;
}

}  // namespace catena::examples
