#include "catena/tests/testing/warnings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <sstream>

namespace catena::testing {

std::vector<std::string> warnings_of(const std::function<void()>& body) {
  ::testing::internal::CaptureStderr();
  std::exception_ptr failure;
  try {
    body();
  } catch (...) {
    failure = std::current_exception();
  }
  std::istringstream lines(::testing::internal::GetCapturedStderr());
  constexpr std::string_view kMark = "warning: ";
  std::vector<std::string> warnings;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kMark)) {
      warnings.push_back(line.substr(kMark.size()));
    } else {
      std::cerr << line << "\n";
    }
  }
  std::cerr << std::flush;
  if (failure) std::rethrow_exception(failure);
  return warnings;
}

void assert_warns(std::string_view expected, const std::function<void()>& body,
                  const SourceLocation& where) {
  const std::vector<std::string> warnings = warnings_of(body);
  const auto contains = [&](const std::string& warning) {
    return warning.find(expected) != std::string::npos;
  };
  if (std::ranges::any_of(warnings, contains)) return;
  std::string got = warnings.empty() ? "none" : "";
  for (const std::string& warning : warnings) got += "\n  " + warning;
  ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
      << "assert_warns: expected a warning that contains \"" << expected
      << "\", got " << got;
}

}  // namespace catena::testing
