#include "catena/examples/support/flags.h"

#include <charconv>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <vector>

#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "catena/array/core/error.h"

namespace catena::examples {
namespace {

// Some messages have several lines.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n';
    if (!is_space || !line.ends_with(' ')) line += is_space ? ' ' : c;
  }
  return line;
}

}  // namespace

namespace internal {

bool parse_integer(std::string_view text, int64_t min, int64_t* value,
                   std::string* error) {
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, *value);
  if (code == std::errc() && stop == end && *value >= min) return true;
  *error = str("expected an integer of at least ", min);
  return false;
}

}  // namespace internal

int run_example(int argc, char** argv, const std::string& usage,
                const std::function<void()>& example) {
  return run_example(
      argc, argv, usage, [&](const std::vector<std::string>& arguments) {
        if (!arguments.empty()) {
          raise<ValueError>("expected flags like --name=value, got '",
                            arguments[0], "'");
        }
        example();
      });
}

int run_example(
    int argc, char** argv, const std::string& usage,
    const std::function<void(const std::vector<std::string>& arguments)>&
        example) {
  // Abseil takes one message in a process; tests run several examples.
  static const bool is_set = (absl::SetProgramUsageMessage(usage), true);
  static_cast<void>(is_set);
  const std::vector<char*> rest = absl::ParseCommandLine(argc, argv);
  try {
    if (const char* folder = std::getenv("BUILD_WORKING_DIRECTORY")) {
      std::filesystem::current_path(folder);
    }
    example({rest.begin() + 1, rest.end()});
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "error: " << one_line(error.what()) << std::endl;
    return 1;
  }
}

}  // namespace catena::examples
