#include "catena/tests/endurance/kill_options.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <optional>

#include "catena/tests/support/arguments.h"

namespace catena::testing {
namespace {

std::optional<int64_t> kills;
uint64_t seed = 20;

}  // namespace

int64_t kills_wanted(int64_t usual) { return kills.value_or(usual); }
uint64_t kill_seed() { return seed; }

int run_kill_test(int argc, char** argv) {
  // What a kill leaves does not depend on the disk, for which each snapshot
  // would wait.
  constexpr const char* kMemory = "/dev/shm";
  if (::access(kMemory, W_OK) == 0) ::setenv("TEST_TMPDIR", kMemory, 1);
  ::testing::InitGoogleTest(&argc, argv);
  const auto run = [](const Numbers& numbers) {
    if (const auto found = numbers.find("kills"); found != numbers.end()) {
      kills = static_cast<int64_t>(found->second);
    }
    if (const auto found = numbers.find("seed"); found != numbers.end()) {
      seed = static_cast<uint64_t>(found->second);
    }
    return RUN_ALL_TESTS();
  };
  return run_with_numbers(argc, argv,
                          {{"kills", 1, 1'000'000}, {"seed", 0, 1e15}}, run);
}

}  // namespace catena::testing
