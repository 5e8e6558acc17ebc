#include "catena/tests/support/program_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

namespace catena::testing {

using ::testing::HasSubstr;

void expect_error_line(const Program& program, const std::string& message) {
  EXPECT_EQ(program.wait(), 1);
  const std::string err = program.err();
  EXPECT_THAT(err, HasSubstr(message));
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
}

void expect_flags(const Program& help, const std::vector<std::string>& flags) {
  help.wait();  // Abseil's exit code differs between its releases
  for (const std::string& flag : flags) {
    EXPECT_THAT(help.out(), HasSubstr("--" + flag + " "));
  }
}

void expect_stops_on_interrupt(const Program& program,
                               const std::string& file) {
  for (int tries = 0; tries < 20000; ++tries) {
    if (std::filesystem::exists(file)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  program.interrupt();
  EXPECT_EQ(program.wait(), 1);
  EXPECT_THAT(program.err(), HasSubstr("training was interrupted after"));
}

nlohmann::json read_log(const std::string& file) {
  auto log = nlohmann::json::parse(read_file(file));
  for (auto& entry : log) entry.erase("elapsed_time");
  return log;
}

std::string ProgramsTest::run(const std::string& name,
                              const Arguments& arguments,
                              const std::string& input) const {
  const Program program = start(name, arguments, input);
  EXPECT_EQ(program.wait(), 0) << program.err();
  return program.out();
}

void ProgramsTest::expect_failure(const std::string& name,
                                  const Arguments& arguments,
                                  const std::string& message) const {
  SCOPED_TRACE(name + " " + (arguments.empty() ? "" : arguments.back()));
  expect_error_line(start(name, arguments), message);
}

}  // namespace catena::testing
