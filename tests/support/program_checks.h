#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "catena/tests/support/program.h"

// What tests of programs expect of each.
namespace catena::testing {

// The program ends with exit code 1 and one line on stderr, which has
// `message`.
void expect_error_line(const Program& program, const std::string& message);

// Interrupts a training program once it has written `file`, and expects it to
// end as StopOnInterrupt does.
void expect_stops_on_interrupt(const Program& program, const std::string& file);

// The entries of a LogReport's file without their times, which differ from run
// to run.
nlohmann::json read_log(const std::string& file);

}  // namespace catena::testing
