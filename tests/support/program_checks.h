#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

// What tests of programs expect of each.
namespace catena::testing {

// The program ends with exit code 1 and one line on stderr, which has
// `message`.
void expect_error_line(const Program& program, const std::string& message);

// The program, started with --help, prints these flags.
void expect_flags(const Program& help, const std::vector<std::string>& flags);

// Interrupts a training program once it has written `file`, and expects it to
// end as StopOnInterrupt does.
void expect_stops_on_interrupt(const Program& program, const std::string& file);

// The entries of a LogReport's file without their times, which differ from run
// to run.
nlohmann::json read_log(const std::string& file);

// Base of tests that run the programs of a folder as a user would.
class ProgramsTest : public ::testing::Test {
 protected:
  using Arguments = Program::Arguments;

  // Programs are runfiles of `programs`, "examples/mnist".
  explicit ProgramsTest(std::string programs)
      : programs_(std::move(programs)) {}

  Program start(const std::string& name, const Arguments& arguments,
                const std::string& input = "") const {
    return Program(programs_ + "/" + name, arguments, folder_, input);
  }
  // The output of a run without errors.
  std::string run(const std::string& name, const Arguments& arguments,
                  const std::string& input = "") const;
  // One clear line, and exit code 1.
  void expect_failure(const std::string& name, const Arguments& arguments,
                      const std::string& message) const;

  // A file in the test's folder.
  std::string file(const std::string& name) const { return folder_.file(name); }

  TempFolder folder_;

 private:
  std::string programs_;
};

}  // namespace catena::testing
