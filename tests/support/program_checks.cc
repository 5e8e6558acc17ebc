#include "catena/tests/support/program_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {

using ::testing::HasSubstr;

void expect_error_line(const Program& program, const std::string& message) {
  EXPECT_EQ(program.wait(), 1);
  const std::string err = program.err();
  EXPECT_THAT(err, HasSubstr(message));
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
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

}  // namespace catena::testing
