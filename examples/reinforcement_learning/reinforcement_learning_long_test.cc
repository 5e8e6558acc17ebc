// Both tasks are solved with default settings, whatever the seed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::Program;
using ::catena::testing::TempFolder;
using ::testing::HasSubstr;

// The mean return of 100 episodes of the best model, which were not among those
// that chose it.
double solve(const std::string& name, Program::Arguments arguments) {
  const TempFolder folder;
  arguments.push_back("--out=" + folder.file("result"));
  const Program program("examples/reinforcement_learning/" + name, arguments,
                        folder);
  EXPECT_EQ(program.wait(), 0) << program.err();
  const std::string out = program.out();
  EXPECT_THAT(out, HasSubstr("\nsolved\n"));
  const std::string before = "mean return over 100 episodes: ";
  const size_t at = out.find(before);
  EXPECT_NE(at, std::string::npos);
  return std::stod(out.substr(at + before.size()));
}

class EverySeed : public ::testing::TestWithParam<int> {
 protected:
  std::string seed() const { return "--seed=" + std::to_string(GetParam()); }
};

// "solved" is a mean return above 195; other episodes may be a little shorter.
constexpr double kBalances = 190;

TEST_P(EverySeed, DqnBalancesThePole) {
  EXPECT_GT(solve("dqn_cartpole", {seed()}), kBalances);
}

TEST_P(EverySeed, DoubleDqnBalancesThePole) {
  EXPECT_GT(solve("dqn_cartpole", {seed(), "--target_type=double_dqn"}),
            kBalances);
}

TEST_P(EverySeed, DdpgSwingsThePendulumUp) {
  EXPECT_GT(solve("ddpg_pendulum", {seed()}), -250);
}

TEST_P(EverySeed, DdpgDoesWithSlowNoise) {
  EXPECT_GT(solve("ddpg_pendulum", {seed(), "--noise=ornstein_uhlenbeck"}),
            -250);
}

INSTANTIATE_TEST_SUITE_P(ReinforcementLearning, EverySeed,
                         ::testing::Range(0, 5));

}  // namespace
