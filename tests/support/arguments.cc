#include "catena/tests/support/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

namespace catena::testing {
namespace {

std::string list_of(const std::vector<NumberArgument>& accepted) {
  std::string list;
  for (const NumberArgument& argument : accepted) {
    if (!list.empty()) list += " or ";
    if (!argument.words.empty()) {
      std::string_view before = "=";
      list += str("--", argument.name);
      for (const std::string_view word : argument.words) {
        list += str(before, word);
        before = "|";
      }
      continue;
    }
    list +=
        str("--", argument.name, "=N", argument.is_whole ? ", a whole" : ", a",
            " number from ", argument.least, " to ", argument.most);
  }
  return list;
}

std::optional<double> number_of(std::string_view text,
                                const NumberArgument& argument) {
  if (!argument.words.empty()) {
    const auto word =
        std::find(argument.words.begin(), argument.words.end(), text);
    if (word == argument.words.end()) return std::nullopt;
    return static_cast<double>(word - argument.words.begin());
  }
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  const bool is_in_range = number >= argument.least && number <= argument.most;
  if (!is_in_range || (argument.is_whole && number != std::floor(number))) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

Numbers parse_numbers(const std::vector<std::string>& words,
                      const std::vector<NumberArgument>& accepted) {
  Numbers numbers;
  for (const std::string& word : words) {
    bool is_right = false;
    for (const NumberArgument& argument : accepted) {
      const std::string start = str("--", argument.name, "=");
      if (!word.starts_with(start)) continue;
      const auto number =
          number_of(std::string_view(word).substr(start.size()), argument);
      if (!number) continue;
      is_right = numbers.emplace(argument.name, *number).second;
      if (!is_right) {
        raise<ArgumentError>("expected --", argument.name, " once, got '", word,
                             "' after another");
      }
    }
    if (!is_right) {
      raise<ArgumentError>("expected ", list_of(accepted), ", got '", word,
                           "'");
    }
  }
  return numbers;
}

int run_with_numbers(int argc, char** argv,
                     const std::vector<NumberArgument>& accepted,
                     const std::function<int(const Numbers&)>& run) {
  int code = 1;
  try {
    return run(parse_numbers({argv + 1, argv + argc}, accepted));
  } catch (const ArgumentError& error) {
    std::cerr << std::filesystem::path(argv[0]).filename().string() << ": "
              << error.what() << '\n';
    code = 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
  }
  return code;
}

}  // namespace catena::testing
