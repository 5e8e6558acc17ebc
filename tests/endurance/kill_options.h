#pragma once

#include <cstdint>

// The command line of tests that kill programs: --kills=N --seed=N.
namespace catena::testing {

// How many kills there are; `usual` if the command line does not say.
int64_t kills_wanted(int64_t usual);
// What decides when the kills come.
uint64_t kill_seed();

// The main function of such a test; exit code 2 for other arguments than these
// and those of GoogleTest.
int run_kill_test(int argc, char** argv);

}  // namespace catena::testing
